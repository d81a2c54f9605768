import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// The manual pages that a package has, made of what the program says of itself.
@Suite(.enabled(if: Python.isAvailable), .timeLimit(.minutes(1)))
struct ManualTests {
    private static func write(to folder: String) async throws {
        let made = try await Program(
            Python.path ?? "python3",
            [ExamplesTests.root + "/.ci/manual", Openmarket.path, folder],
            environment: ["SOURCE_DATE_EPOCH": "1700000000"],
            folder: ExamplesTests.root
        ).run()
        try #require(made.status == 0, "\(made.errorText)")
    }

    @Test func `every command has a page with all its options`() async throws {
        let folder = try TemporaryDirectory()
        try await Self.write(to: folder.path + "/man1")
        let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/man1")
        let commands = try ReferencePage.program().all
        let names = commands.map { $0.name.replacing(" ", with: "-") + ".1" }
        #expect(Set(pages) == Set(names))
        for (command, name) in zip(commands, names) {
            let page = String(decoding: try folder.read("man1/\(name)"), as: UTF8.self)
            for flag in command.options.flatMap(\.flags) {
                #expect(page.contains("\\fB\(flag.replacing("-", with: "\\-"))\\fR"), "\(flag) of \(command.name)")
            }
        }
        let plan = String(decoding: try folder.read("man1/openmarket-plan.1"), as: UTF8.self)
        #expect(plan.hasPrefix(#".TH "OPENMARKET-PLAN" 1 "2023-11-14" "openmarket "#))
        #expect(plan.contains("\nAlso \\fBopenmarket diff\\fR.\n"))
    }

    /// Without man this test has nothing to say.
    @Test func `man takes every page without a warning`() async throws {
        let folder = try TemporaryDirectory()
        try await Self.write(to: folder.path + "/man1")
        let check = """
            command -v man >/dev/null && command -v groff >/dev/null || { echo skipped; exit 0; }
            for page in man1/*.1; do man --warnings -Tutf8 -l "$page" >"$page.txt" || exit 1; done
            """
        let shown = try await Program(
            "/bin/sh",
            ["-c", check],
            environment: ["LC_ALL": "C.UTF-8", "MANWIDTH": "80"],
            folder: folder.path
        ).run()
        #expect(shown.status == 0)
        #expect(shown.errorText == "")
        guard !shown.text.contains("skipped") else { return print("skipped: man or groff is missing") }
        let page = String(decoding: try folder.read("man1/openmarket-apply.1.txt"), as: UTF8.self)
        #expect(page.contains("openmarket apply --override max_price_change --reason 'spring sale'\n"))
    }
}
