import ArgumentParser
import Testing
@testable import OpenMarketCLI

struct OptionValueTests {
    @Test(arguments: [("1", 1), ("1025", 1025), ("100000", 100_000), ("0", nil), ("-1", nil), ("x", nil)])
    func `what is kept or shown is counted from 1 on`(text: String, value: Int?) {
        #expect((try? ValueForm<Int>.number(from: 1).value(text)) == value)
    }

    @Test(arguments: [("1", 1), ("1024", 1024), ("1025", nil), ("0", nil)])
    func `requests at once end where the market would`(text: String, value: Int?) {
        #expect((try? ValueForm<Int>.parallelism.value(text)) == value)
    }

    @Test func `a rate that means nothing, and a time that cannot be counted, are refused`() {
        for rate in ["1e-300", "1e300", "0", "-1", "nan", "inf", "0.0001", "100001", "5e-324/s"] {
            #expect((try? ValueForm<Double>.rate.value(rate)) == nil, "\(rate)")
        }
        for time in ["9000h", "9223372036854s", "99999999999999999999s", "-1s"] {
            #expect((try? ValueForm<Duration>.duration.value(time)) == nil, "\(time)")
        }
    }

    /// Of every option that does not take any text, as the program describes them.
    @Test(arguments: OpenMarketCommand.all.map(\.words))
    func `an option with a wrong value says what to write`(command: [String]) {
        for option in CommandOptions(OpenMarketCommand.command(in: command).type).options where !option.isFlag {
            guard let refusal = option.refusal(of: "§", in: command) else { continue }
            #expect(refusal.hasPrefix("The value '§' is invalid for '\(option.flag)"))
            #expect(refusal.contains("': write ") || refusal.contains("provide one of "), "\(refusal)")
        }
    }

    @Test func `more than fifteen options take some texts only`() {
        let flags = OpenMarketCommand.all.flatMap { command in
            CommandOptions(command.type).options.filter { option in
                !option.isFlag && !option.takes("§", in: command.words)
            }.map(\.flag)
        }
        #expect(Set(flags).count > 15)
    }
}
