import Testing
@testable import OpenMarketCLI

struct ExportRulesTests {
    private static let options = CommandOptions(ExportCommand.self).options.map(\.setting)

    @Test func `of all pairs of options, these do not go together`() {
        var refused: Set<Set<Setting>> = []
        for (index, first) in Self.options.enumerated() {
            for second in Self.options[..<index] {
                let given: Set<Setting> = [first, second]
                let use: Setting? = given.contains(.verify) ? .verify : given.contains(.since) ? .since : nil
                // What lacks another option is refused with any but that.
                guard !given.contains(.online) else { continue }
                do throws(CommandFailure) {
                    try ExportRules.check(given, for: use)
                } catch {
                    refused.insert(given)
                    #expect(error.status == .usage)
                    #expect(given.allSatisfy { error.message?.contains($0.flag) == true }, "\(error)")
                }
            }
        }
        #expect(
            refused == [
                [.verify, .out], [.verify, .since], [.verify, .images], [.verify, .format], [.verify, .excel],
                [.verify, .separator], [.verify, .keep], [.verify, .noResume], [.verify, .discardEdits],
                [.since, .excel], [.since, .separator], [.since, .images], [.since, .keep], [.since, .noResume],
            ]
        )
    }

    @Test func `only --verify can be online`() {
        for setting in Self.options where setting != .online {
            let use: Setting? = [.verify, .since].contains(setting) ? setting : nil
            let isTaken = (try? ExportRules.check([.online, setting], for: use)) != nil
            #expect(isTaken == (setting == .verify), "\(setting)")
        }
        #expect((try? ExportRules.check([.online], for: nil)) == nil)
    }

    @Test func `each option goes alone, and what a variable says is for the other uses`() throws {
        for setting in Self.options where setting != .online {
            try ExportRules.check([setting], for: [.verify, .since].contains(setting) ? setting : nil)
        }
        #expect(throws: CommandFailure.self) { try ExportRules.check([.excel], for: .since) }
        try ExportRules.check([.verify], for: .verify)
    }

    @Test func `every option of the table is the command's`() {
        let named =
            ExportRules.exclusions.flatMap { [$0.setting] + $0.others }
            + ExportRules.requirements.flatMap { [$0.setting, $0.other] }
        #expect(Set(named).isSubset(of: Set(Self.options)))
    }
}
