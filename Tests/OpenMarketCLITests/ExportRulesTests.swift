import OpenMarketWorkflow
import Testing
@testable import OpenMarketCLI

struct ExportRulesTests {
    private static let options = CommandOptions(ExportCommand.self).options

    /// Why `export` refuses these options of the command line; `nil` if it does not.
    private func refusal(_ flags: Set<String>, environment: [String: String] = [:], compares: Bool = false)
        -> CommandFailure?
    {
        let words = flags.sorted().map { flag in
            Self.options.contains { $0.flag == flag && $0.isFlag } ? flag : flag + "=x"
        }
        let invocation = Invocation(["export"] + words, environment: environment)
        do throws(CommandFailure) {
            try ExportCommand.check(
                invocation,
                verifies: flags.contains("--verify"),
                compares: compares || flags.contains("--since")
            )
            return nil
        } catch {
            return error
        }
    }

    @Test func `of all pairs of options, these do not go together`() {
        var refused: Set<Set<String>> = []
        for (index, first) in Self.options.enumerated() {
            for second in Self.options[..<index] {
                let pair: Set<String> = [first.flag, second.flag]
                // What lacks another option is refused with any but that.
                guard !pair.contains("--online"), let refusal = refusal(pair) else { continue }
                refused.insert(pair)
                #expect(refusal.status == .usage)
                #expect(pair.allSatisfy { refusal.message?.contains($0) == true }, "\(refusal)")
            }
        }
        let verify = ["out", "since", "images", "format", "excel", "separator", "keep", "no-resume", "discard-edits"]
        let since = ["excel", "separator", "images", "keep", "no-resume"]
        #expect(refused == Set(verify.map { ["--verify", "--" + $0] } + since.map { ["--since", "--" + $0] }))
    }

    @Test func `only --verify can be online`() {
        for flag in Self.options.map(\.flag) where flag != "--online" {
            #expect((refusal(["--online", flag]) == nil) == (flag == "--verify"), "\(flag)")
        }
        #expect(refusal(["--online"])?.message == "--online needs --verify FILE")
    }

    @Test func `each option goes alone, and what a variable says is for the other uses`() {
        for flag in Self.options.map(\.flag) where flag != "--online" {
            #expect(refusal([flag]) == nil, "\(flag)")
        }
        #expect(refusal(["--excel"], compares: true)?.message == "--excel does not go with --since")
        #expect(refusal([], environment: ["OPENMARKET_EXCEL": "1"], compares: true) == nil)
    }
}
