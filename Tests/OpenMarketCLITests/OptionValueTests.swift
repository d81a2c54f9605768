import ArgumentParser
@testable import OpenMarket
import Testing
@testable import OpenMarketCLI

struct OptionValueTests {
    @Test(arguments: [("1", 1), ("1025", 1025), ("100000", 100_000), ("0", nil), ("-1", nil), ("x", nil)])
    func `what is kept or shown is counted from 1 on`(text: String, value: Int?) {
        #expect((try? ValueForm<Int>.number(from: 1).value(of: text)) == value)
    }

    @Test(arguments: [("1", 1), ("1024", 1024), ("1025", nil), ("0", nil)])
    func `requests at once end where the market would`(text: String, value: Int?) {
        #expect((try? ValueForm<Int>.parallelism.value(of: text)) == value)
    }

    /// Of every option that does not take any text, as the program describes them.
    @Test(arguments: OpenMarketCommand.all.map(\.words))
    func `an option without a value, and one with a wrong one, say what to write`(command: [String]) {
        for option in CommandOptions(OpenMarketCommand.command(in: command).type).options where !option.isFlag {
            let flag = option.setting.flag
            guard let wrong = UsageMessage.fault(of: "\(flag)=§", in: command) else { continue }
            #expect(wrong.message.hasPrefix("the value '§' is invalid for '\(flag)"))
            #expect(
                wrong.help.first?.hasPrefix("write ") == true || wrong.help.first?.hasPrefix("give one of ") == true
            )
            #expect(wrong.usage?.hasPrefix("openmarket \(command.joined(separator: " "))") == true)

            let words = command + [flag]
            let missing = #expect(throws: (any Error).self) { try OpenMarketCommand.parseAsRoot(words) }
            guard let missing else { continue }
            let message = UsageMessage(OpenMarketCommand.fullMessage(for: missing), of: words)
            #expect(message.message.hasPrefix("missing value for '\(flag)"))
            #expect(message.help.first == wrong.help.first)
        }
    }

    @Test func `more than fifteen options take some texts only`() {
        let flags = OpenMarketCommand.all.flatMap { command in
            CommandOptions(command.type).options.filter { option in
                !option.isFlag && UsageMessage.fault(of: "\(option.setting.flag)=§", in: command.words) != nil
            }.map(\.setting.flag)
        }
        #expect(Set(flags).count > 15)
    }

    @Test(
        arguments: [
            ("plan --max-delete -1", "the value '-1' is invalid for '--max-delete <n|%>'"),
            ("pull --id -1", "missing value for '--id <id>'"),
        ]
    )
    func `a negative number is a value`(words: String, message: String) throws {
        let words = words.split(separator: " ").map(String.init)
        let error = try #require(throws: (any Error).self) { try OpenMarketCommand.parseAsRoot(words) }
        let usage = UsageMessage(OpenMarketCommand.fullMessage(for: error), of: words)
        #expect(usage.message == message)
        #expect(words[0] == "plan" || usage.help.first == "write --id=-1")
    }
}
