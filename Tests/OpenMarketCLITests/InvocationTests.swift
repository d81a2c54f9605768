import ArgumentParser
@testable import OpenMarket
import Testing
@testable import OpenMarketCLI

/// Every option of every command, as the program describes them, against its variable.
struct InvocationTests {
    private static let samples = [
        "sample", "5", "50%", "30s", "v2b", "KRW", "comma", "changed", "restore", "en", "csv", "text", "shopify",
        "max_delete", "json=a", "diff=a", "sha256:" + String(repeating: "0", count: 64), "id,name",
        "https://app.example",
    ]

    /// All that a command line comes to.
    private func parsed(_ words: [String]) throws -> String {
        var text = ""
        dump(try OpenMarketCommand.parseAsRoot(words), to: &text)
        return text
    }

    private func isTaken(_ words: [String]) -> Bool {
        do {
            _ = try OpenMarketCommand.parseAsRoot(words)
            return true
        } catch {
            return !OpenMarketCommand.fullMessage(for: error).contains("is invalid for")
        }
    }

    private func folded(_ words: [String], _ setting: Setting, _ value: String) throws -> [String] {
        try Invocation(words, environment: [setting.variable: value]).arguments()
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
            let flag = option.setting.flag
            guard !option.isFlag else {
                #expect(try folded(command + operands, option.setting, "yes") == command + [flag] + operands)
                #expect(try folded(command + operands, option.setting, "0") == command + operands)
                // `--verify` of other commands takes any text.
                if option.setting != .verify {
                    #expect(throws: CommandFailure.self) { try folded(command, option.setting, "§") }
                }
                continue
            }
            let value = try #require(
                Self.samples.first { isTaken(command + ["\(flag)=\($0)"]) },
                "no value is known that \(flag) takes"
            )
            let said = command + ["\(flag)=\(value)"] + operands
            #expect(try parsed(folded(command + operands, option.setting, value)) == parsed(said))
            // What is given wins.
            #expect(try folded(said, option.setting, value) == said)
            #expect(
                try folded(command + [flag, value] + operands, option.setting, "§") == command + [flag, value]
                    + operands
            )
            if option.isRepeating {
                let twice = command + ["\(flag)=\(value)", "\(flag)=\(value)"] + operands
                #expect(try folded(command + operands, option.setting, "\(value),\(value)") == twice)
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

    @Test func `every setting is an option of some command`() {
        let used = Set(OpenMarketCommand.all.flatMap { CommandOptions($0.type).options.map(\.setting) })
        #expect(Set(Setting.allCases).subtracting(used) == [])
    }

    @Test(
        arguments: [
            (["export"], .verify, "a.csv", ["--verify=a.csv"]), (["export"], .verify, "1", []),
            (["apply"], .verify, "a.csv", []), (["apply"], .verify, "1", ["--verify"]),
            (["export"], .keep, "30", ["--keep=30"]), (["export"], .keep, "1", ["--keep=1"]),
            (["export"], .keep, "yes", []), (["demo"], .keep, "30", []), (["demo"], .keep, "1", ["--keep"]),
            (["plan"], .write, "json=a,sarif=b,html=c", ["--write=json=a", "--write=html=c"]),
            (["validate"], .write, "json=a,sarif=b,html=c", ["--write=json=a", "--write=sarif=b"]),
            (["state", "export"], .out, "-", ["--out=-"]), (["plan"], .quiet, "", []),
            (["serve"], .api, "./shop.yaml", []), (["serve"], .api, "v2b,v1b", ["--api=v2b,v1b"]),
        ] as [([String], Setting, String, [String])]
    )
    func `what only another command's option takes is left to that one`(
        command: [String],
        setting: Setting,
        value: String,
        words: [String]
    ) throws {
        #expect(try folded(command, setting, value) == command + words)
    }

    @Test(
        arguments: [(["export"], .keep, "many"), (["demo"], .keep, "many"), (["plan"], .write, "pdf=a")]
            as [([String], Setting, String)]
    )
    func `what no command's option takes is refused`(command: [String], setting: Setting, value: String) {
        let error = #expect(throws: CommandFailure.self) { try folded(command, setting, value) }
        #expect(error?.status == .usage)
        #expect(error?.message == "\(setting.variable): '\(value)' is not a value that \(setting.flag) takes")
    }

    @Test func `help is there whatever the variables say`() throws {
        #expect(try folded(["plan", "--help"], .maxDelete, "many") == ["plan", "--help"])
    }

    @Test func `manifests that are named take the place of those of the variable`() throws {
        #expect(try folded(["plan"], .file, "a,b") == ["plan", "--file=a", "--file=b"])
        for words in [
            ["plan", "c"], ["plan", "-f", "c"], ["plan", "--file=c"], ["plan", "--", "c"], ["plan", "-"],
        ] {
            #expect(try folded(words, .file, "a,b") == words)
        }
        #expect(try folded(["plan", "-o", "c"], .file, "a") == ["plan", "--file=a", "-o", "c"])
    }

    @Test func `what a variable says is not given`() {
        let words = ["apply", "-y", "--max-delete", "--no-delete", "plan.json", "--target=a", "--", "--verify"]
        let invocation = Invocation(words, environment: [Setting.quiet.variable: "1"])
        #expect(invocation.given == [.yes, .maxDelete, .target])
    }
}
