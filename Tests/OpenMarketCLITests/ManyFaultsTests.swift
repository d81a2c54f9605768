@testable import OpenMarket
@testable import OpenMarketWorkflow
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketCLI

/// What is said of a catalog with very many faults.
struct ManyFaultsTests {
    private static func fault(
        _ code: Diagnostic.Code,
        line: Int,
        field: String,
        severity: Diagnostic.Severity = .error
    ) -> Diagnostic {
        Diagnostic(
            severity,
            code,
            "fault of '\(field)' in line \(line)",
            location: SourceLocation(file: "m.yaml", position: SourcePosition(line: UInt32(line), column: 5)),
            path: "products[\(line)].\(field)",
            excerpt: SourceExcerpt(text: "    x: y", caret: 4),
            help: "do it otherwise"
        )
    }

    private func lines(_ diagnostics: [Diagnostic], all: Bool = false) -> [String] {
        DiagnosticRenderer(style: .plain).render(diagnostics, all: all).flatMap {
            $0.text.split(separator: "\n").map(String.init)
        }
    }

    @Test func `a fault made a thousand times is one entry with a count and its first places`() {
        let faults =
            (1...1000).map { Self.fault(.missingField, line: $0, field: "price") } + [
                Self.fault(.number, line: 2000, field: "stock")
            ]
        #expect(
            lines(faults) == [
                "m.yaml:1:5: error: fault of 'price' in line 1",
                "   1 |     x: y",
                "     |     ^",
                "  in products[1].price",
                "  help: do it otherwise",
                "  and 999 more like it: m.yaml:2:5, m.yaml:3:5, m.yaml:4:5, …",
                "m.yaml:2000:5: error: fault of 'stock' in line 2000",
                "2000 |     x: y",
                "     |     ^",
                "  in products[2000].stock",
                "  help: do it otherwise",
                "Of many faults of a kind the first is shown; --all lists every one.",
            ]
        )
        #expect(lines(faults, all: true).count == 1001 * 5)
    }

    @Test func `the same code in another field, or as a warning, is another fault`() {
        let faults = (1...10).flatMap {
            [
                Self.fault(.missingField, line: $0, field: "price"),
                Self.fault(.missingField, line: $0, field: "stock"),
                Self.fault(.missingField, line: $0, field: "price", severity: .warning),
            ]
        }
        #expect(lines(faults).filter { $0.contains(" and 9 more like it") }.count == 3)
    }

    @Test func `twenty faults are reported one by one`() {
        let faults = (1...20).map { Self.fault(.number, line: $0, field: "price") }
        #expect(lines(faults).count == 100)
        #expect(lines(faults) == lines(faults, all: true))
    }

    @Test func `validate lists every fault with --all, and always as JSON`() async throws {
        let folder = try TemporaryDirectory()
        let products = (1...50).map { "- {key: k\($0), id: \($0), price: \($0)원}\n" }.joined()
        try folder.write("openmarket.yaml", "products:\n" + products)
        func validate(_ arguments: String...) async throws -> String {
            let output = try await Program(Openmarket.path, ["validate"] + arguments, folder: folder.path).run()
            #expect(output.status == 4)
            return output.text
        }
        let short = try await validate()
        #expect(short.contains("  and 49 more like it: openmarket.yaml:3:"))
        #expect(short.contains("✗ not valid: 50 errors"))
        #expect(try await validate("--all").components("is not a plain number") == 50)
        #expect(try await validate("--json").components("\"code\": \"number\"") == 50)
    }
}

extension String {
    fileprivate func components(_ text: String) -> Int { ranges(of: text).count }
}
