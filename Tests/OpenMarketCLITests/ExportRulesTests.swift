import Testing
@testable import OpenMarketCLI

struct ExportRulesTests {
    private static let options = CommandOptions(ExportCommand.self).options.map(\.flag)

    @Test func `of all pairs of options, these do not go together`() {
        var refused: Set<Set<String>> = []
        for (index, first) in Self.options.enumerated() {
            for second in Self.options[..<index] {
                let given: Set<String> = [first, second]
                let use: String? = given.contains("--verify") ? "--verify" : given.contains("--since") ? "--since" : nil
                // What lacks another option is refused with any but that.
                guard !given.contains("--online") else { continue }
                do throws(CommandFailure) {
                    try ExportRules.check(given, for: use)
                } catch {
                    refused.insert(given)
                    #expect(error.status == .usage)
                    #expect(given.allSatisfy { error.message?.contains($0) == true }, "\(error)")
                }
            }
        }
        #expect(
            refused == [
                ["--verify", "--out"], ["--verify", "--since"], ["--verify", "--images"], ["--verify", "--format"],
                ["--verify", "--excel"],
                ["--verify", "--separator"], ["--verify", "--keep"], ["--verify", "--no-resume"],
                ["--verify", "--discard-edits"],
                ["--since", "--excel"], ["--since", "--separator"], ["--since", "--images"], ["--since", "--keep"],
                ["--since", "--no-resume"],
            ]
        )
    }

    @Test func `only --verify can be online`() {
        for flag in Self.options where flag != "--online" {
            let use: String? = ["--verify", "--since"].contains(flag) ? flag : nil
            let isTaken = (try? ExportRules.check(["--online", flag], for: use)) != nil
            #expect(isTaken == (flag == "--verify"), "\(flag)")
        }
        #expect((try? ExportRules.check(["--online"], for: nil)) == nil)
    }

    @Test func `each option goes alone, and what a variable says is for the other uses`() throws {
        for flag in Self.options where flag != "--online" {
            try ExportRules.check([flag], for: ["--verify", "--since"].contains(flag) ? flag : nil)
        }
        #expect(throws: CommandFailure.self) { try ExportRules.check(["--excel"], for: "--since") }
        try ExportRules.check(["--verify"], for: "--verify")
    }

    @Test func `every option of the table is the command's`() {
        let named = ExportRules.exclusions.flatMap { [$0.flag] + $0.others }
        #expect(Set(named).isSubset(of: Set(Self.options)))
    }
}
