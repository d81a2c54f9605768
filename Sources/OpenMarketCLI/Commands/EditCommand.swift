import ArgumentParser
import OpenMarket
import OpenMarketManifest
import OpenMarketWorkflow

struct EditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Changes many products in the manifest files, by expressions or by a table.",
        discussion: """
            From a table it writes the values that were edited since its export; docs/csv.md has the rules. Comments, \
            order and quotes stay. Only the manifest changes: `plan` shows the changes for the market, `apply` carries \
            them out, and `undo` takes the edit back.

            Exit 0: done, or no changes needed. 1: a file changed meanwhile. 3: something was left alone. 4: the \
            manifest is not valid, or would not be, or the table is not. 5: the table was probably damaged. 64: \
            neither a terminal nor --yes.

            Examples:
              openmarket edit price=+10% --round 100 --where currency=KRW
              openmarket edit sale_price=price-20% --where 'name~lamp' --where 'stock>0'
              openmarket edit sale_price=none
              openmarket edit prices=x1.1 --ending 900 --target 'lamp-*'
              openmarket edit --replace 2026 --with 2027 --in name,description
              openmarket edit prices.csv
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A change of a field, such as price=+10%; several apply in order. Or a table (.csv, .tsv).",
            valueName: "field=value|table"
        ),
        completion: .file(extensions: ["csv", "tsv"])
    )
    var assignments: [String] = []

    @Option(
        name: [.customShort("f"), .customLong("file")],
        help: "A manifest file or folder; repeatable. (default: openmarket.yaml)",
        as: .file(named: "path", "yaml", "yml")
    )
    var files: [String] = []
    @Flag(help: "Allow pictures and !file outside the manifest's folder.")
    var allowOutside = false

    @Option(
        name: .customLong("where"),
        help: "Only matching products, such as 'stock>0'; repeatable, all must match.",
        as: .text("condition")
    )
    var conditions: [String] = []
    @OptionGroup var choosing: ChoosingArguments

    @Option(help: "Round new prices to the nearest multiple of this step.", as: .text("step"))
    var round: String?
    @Option(help: "Round new prices to the nearest number with this ending, such as 900 or 0.99.", as: .text("digits"))
    var ending: String?
    @Option(help: "The text to replace in the fields; needs --with.", as: .text("text"))
    var replace: String?
    @Option(help: "The new text in place of that of --replace.", as: .text("text"))
    var with: String?
    @Option(name: .customLong("in"), help: "The fields of --replace. (default: name,description)", as: .text("fields"))
    var replaced: String?
    @OptionGroup(title: "Of a table") var tables: TableEditArguments
    @OptionGroup var state: StateArguments
    @OptionGroup(title: "Writing") var writing: EditArguments
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws { try await output.run(edit) }

    private func edit(_ context: CommandContext) async throws {
        if let table = assignments.first, assignments.count == 1, ManifestLoader.isTable(table) {
            return try await edit(by: table, context)
        }
        guard tables.rules == TableEdits.Rules() else {
            throw CommandFailure(
                .usage,
                "--prefer, --into, --complete, --max-delete and --allow-namesakes go with a table"
            )
        }
        let expressions = try expressions()
        let conditions = try conditions.map { try ProductCondition($0) }
        let filter = try choosing.filter()
        try writing.requireAnswer(context)
        let paths = ManifestSelection.files(named: files)
        let options = options(context)
        let manifest = try await EditRun.load(paths, options, context)
        try filter.requireMatches(in: manifest.listings.map(\.key))
        let run = try EditRun(manifest, options: options)
        let chosen = try filter.narrowed(by: conditions, in: manifest.listings)
        let edit = try ExpressionEdit(expressions, of: manifest.listings.lazy.filter { chosen.takes($0.key) })
        if edit.keptSales > 0 {
            let products = "\(counted(edit.keptSales, "product")) \(edit.keptSales == 1 ? "has" : "have")"
            context.console.note("warning: \(products) a sale_price that stays; 'prices' moves both")
        }
        let source = EditSource(.expression, expressions.map(\.text).joined(separator: ", "))
        try await writing.carryOut(edit.edits, from: source, in: run, context)
    }

    private func options(_ context: CommandContext) -> ManifestOptions {
        var options = ManifestOptions(environment: context.environment)
        options.toleratesUnset = .market
        options.allowOutside = allowOutside
        return options
    }

    private func edit(by table: String, _ context: CommandContext) async throws {
        guard conditions.isEmpty, choosing.target.isEmpty, choosing.targetFile == nil, choosing.exclude.isEmpty,
            round == nil, ending == nil, replace == nil, with == nil, replaced == nil
        else {
            throw CommandFailure(.usage, "a table names its own products and values: omit other changes and filters")
        }
        try writing.requireAnswer(context)
        let edit = try await TableEdit.load(
            table,
            of: ManifestSelection.files(named: files),
            options(context),
            tables.rules,
            state: state,
            context
        )
        try context.console.requireSound(edit.edits)
        context.console.note(edit.heading)
        try await writing.carryOut(edit.edits.edits, from: edit.source, in: edit.run, context)
    }

    private func expressions() throws -> [FieldExpression] {
        if round != nil, ending != nil { throw CommandFailure(.usage, "--round and --ending do not go together") }
        guard (replace == nil) == (with == nil), replace != nil || replaced == nil else {
            throw CommandFailure(.usage, "--replace and --with go together, and --in needs them")
        }
        var expressions = try assignments.map { try FieldExpression($0) }
        if let replace, let with {
            for field in (replaced ?? "name,description").split(separator: ",") {
                expressions.append(try FieldExpression(replacing: replace, with: with, in: String(field)))
            }
        }
        guard !expressions.isEmpty else {
            throw CommandFailure(.usage, "a field's change or a table is missing", help: "openmarket edit price=+10%")
        }
        let step = try round.map { try FieldExpression.Rounding(step: $0) }
        let digits = try ending.map { try FieldExpression.Rounding(ending: $0) }
        for index in expressions.indices { expressions[index].rounding = step ?? digits }
        return expressions
    }
}
