@testable import YAML

extension SectionTable {
    /// The sections in Markdown; rows that more than five of them have come first, once.
    static func reference(of tables: [SectionTable]) -> String {
        let counts = Dictionary(tables.flatMap(\.rows).map { ($0.cells, 1) }, uniquingKeysWith: +)
        let shared = Set(counts.filter { $0.value > 5 }.keys)
        var listed: Set<[String]> = []
        let common = tables.flatMap(\.rows).filter { shared.contains($0.cells) && listed.insert($0.cells).inserted }
        var text =
            "## Shared keys\n\nSeveral sections have these. Each section lists those that it has.\n\n"
            + markdown(common)
        for table in tables {
            text += "\n## \(table.title)\n\n\(markdown(table.rows.filter { !shared.contains($0.cells) }))"
            let others = table.rows.filter { shared.contains($0.cells) }.map { "`\($0.name)`" }
            if !others.isEmpty { text += "\n[Shared](#shared-keys): \(others.joined(separator: ", ")).\n" }
            if !table.rules.isEmpty { text += "\n" + table.rules.map { "- \($0.words)\n" }.joined() }
        }
        return text
    }

    /// A table with a row for each key.
    static func markdown(_ rows: [Row]) -> String {
        guard !rows.isEmpty else { return "" }
        let columns = rows.contains { !$0.rules.isEmpty } ? 4 : 3
        return ([["key", "value", "meaning", "rules"], ["---", "---", "---", "---"]] + rows.map(\.cells))
            .map { "|" + $0.prefix(columns).map { $0.isEmpty ? " |" : " \($0) |" }.joined() + "\n" }.joined()
    }
}

extension SectionTable.Row {
    fileprivate var cells: [String] {
        ["`\(name)`" + (isRequired ? " (required)" : ""), words.replacing("|", with: "\\|"), meaning, rules]
    }
}
