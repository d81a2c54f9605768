import ArgumentParser
import Foundation
@testable import OpenMarket
import OpenMarketWorkflow
import Testing
@testable import OpenMarketCLI

/// Every option of every command, as the program describes them, against its variable.
struct InvocationTests {
    private static let samples = [
        "sample", "5", "50%", "30s", "v2b", "KRW", "comma", "changed", "restore", "en", "csv", "text", "shopify",
        "max_delete", "json=a", "diff=a", "sha256:" + String(repeating: "0", count: 64), "id,name",
        "https://app.example", "table",
    ]

    /// All that a command line comes to.
    private func parsed(_ words: [String]) throws -> String {
        var text = ""
        dump(try OpenMarketCommand.parseAsRoot(words), to: &text)
        return text
    }

    private func folded(_ words: [String], _ variable: String, _ value: String) throws -> [String] {
        try Invocation(words, environment: [variable: value]).arguments()
    }

    @Test(arguments: OpenMarketCommand.all.map(\.words))
    func `the variable of every option is as good as the option`(command: [String]) throws {
        let (type, count) = OpenMarketCommand.command(in: command)
        #expect(count == command.count)
        let needed = try #require((0...2).first { (try? parsed(command + Array(repeating: "x", count: $0))) != nil })
        let operands = Array(repeating: "x", count: needed)
        let options = CommandOptions(type).options
        #expect(type is SchemaCommand.Type || !options.isEmpty)
        for option in options {
            let flag = option.flag
            guard !option.isFlag else {
                #expect(try folded(command + operands, option.variable, "yes") == command + [flag] + operands)
                #expect(try folded(command + operands, option.variable, "0") == command + operands)
                // Those of other commands take any text.
                if !["--verify", "--replace"].contains(flag) {
                    #expect(throws: CommandFailure.self) { try folded(command, option.variable, "§") }
                }
                continue
            }
            let value = try #require(
                Self.samples.first { option.takes($0, in: command) },
                "no value is known that \(flag) takes"
            )
            let said = command + ["\(flag)=\(value)"] + operands
            #expect(try parsed(folded(command + operands, option.variable, value)) == parsed(said))
            // What is given wins.
            #expect(try folded(said, option.variable, value) == said)
            #expect(
                try folded(command + [flag, value] + operands, option.variable, "§") == command + [flag, value]
                    + operands
            )
            if option.isRepeating {
                let twice = command + ["\(flag)=\(value)", "\(flag)=\(value)"] + operands
                #expect(try folded(command + operands, option.variable, "\(value),\(value)") == twice)
            }
        }
    }

    @Test(arguments: OpenMarketCommand.all.map(\.words))
    func `help is text as it should be shown`(command: [String]) {
        let help = OpenMarketCommand.helpMessage(for: OpenMarketCommand.command(in: command).type, columns: 200)
        #expect(help.hasPrefix("OVERVIEW: "))
        // What a mistake in a literal of several lines leaves.
        for line in help.split(separator: "\n") where !line.hasPrefix("USAGE: ") {
            #expect(!line.contains("\\") && !line.hasSuffix(" "), "\(line)")
        }
    }

    @Test func `every flag that a message or a help text names is an option`() throws {
        let options = Set(OpenMarketCommand.all.flatMap { CommandOptions($0.type).options.map(\.flag) })
        #expect(options.count > 90)
        var named: Set<String> = []
        let folder = ExamplesTests.root + "/Sources/OpenMarketCLI/"
        let files = try #require(FileManager.default.enumerator(atPath: folder)).compactMap { $0 as? String }
        for file in files where file.hasSuffix(".swift") {
            let text = try String(contentsOfFile: folder + file, encoding: .utf8)
            named.formUnion(text.matches(of: /--[a-z]+(?:-[a-z]+)*/).map { String($0.output) })
        }
        #expect(named.subtracting(options) == ["--help", "--version"])
    }

    @Test(
        arguments: [
            (["export"], "OPENMARKET_VERIFY", "a.csv", ["--verify=a.csv"]), (["export"], "OPENMARKET_VERIFY", "1", []),
            (["apply"], "OPENMARKET_VERIFY", "1", ["--verify"]),
            (["export"], "OPENMARKET_KEEP", "30", ["--keep=30"]), (["export"], "OPENMARKET_KEEP", "1", ["--keep=1"]),
            (["export"], "OPENMARKET_KEEP", "yes", []), (["demo"], "OPENMARKET_KEEP", "30", []),
            (["demo"], "OPENMARKET_KEEP", "1", ["--keep"]),
            (["plan"], "OPENMARKET_WRITE", "json=a,sarif=b,html=c", ["--write=json=a", "--write=html=c"]),
            (["validate"], "OPENMARKET_WRITE", "json=a,sarif=b,html=c", ["--write=json=a", "--write=sarif=b"]),
            (["state", "export"], "OPENMARKET_OUT", "-", ["--out=-"]), (["plan"], "OPENMARKET_QUIET", "", []),
            (["serve"], "OPENMARKET_API", "./shop.yaml", []),
            (["serve"], "OPENMARKET_API", "v2b,v1b", ["--api=v2b,v1b"]),
        ] as [([String], String, String, [String])]
    )
    func `what only another command's option takes is left to that one`(
        command: [String],
        variable: String,
        value: String,
        words: [String]
    ) throws {
        #expect(try folded(command, variable, value) == command + words)
    }

    @Test(
        arguments: [
            (["export"], "OPENMARKET_KEEP", "many"), (["demo"], "OPENMARKET_KEEP", "many"),
            (["plan"], "OPENMARKET_WRITE", "pdf=a"), (["apply"], "OPENMARKET_VERIFY", "a.csv"),
        ]
            as [([String], String, String)]
    )
    func `what no command's option takes is refused`(command: [String], variable: String, value: String) {
        let error = #expect(throws: CommandFailure.self) { try folded(command, variable, value) }
        let flag = "--" + variable.dropFirst("OPENMARKET_".count).lowercased()
        #expect(error?.status == .usage)
        #expect(error?.message == "\(variable): '\(value)' is not a value that \(flag) takes")
    }

    @Test func `help is there whatever the variables say`() throws {
        #expect(try folded(["plan", "--help"], "OPENMARKET_MAX_DELETE", "many") == ["plan", "--help"])
    }

    @Test func `manifests that are named take the place of those of the variable`() throws {
        #expect(try folded(["plan"], "OPENMARKET_FILE", "a,b") == ["plan", "--file=a", "--file=b"])
        for words in [
            ["plan", "c"], ["plan", "-f", "c"], ["plan", "--file=c"], ["plan", "--", "c"], ["plan", "-"],
        ] {
            #expect(try folded(words, "OPENMARKET_FILE", "a,b") == words)
        }
        #expect(try folded(["plan", "-o", "c"], "OPENMARKET_FILE", "a") == ["plan", "--file=a", "-o", "c"])
    }

    @Test func `what a variable says is not given`() {
        let words = ["apply", "-y", "--max-delete", "--no-delete", "plan.json", "--target=a", "--", "--verify"]
        let invocation = Invocation(words, environment: ["OPENMARKET_QUIET": "1"])
        #expect(invocation.given == ["--yes", "--max-delete", "--target"])
    }
}
