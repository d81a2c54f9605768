@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
import Testing

/// A line that is a little too far left or right is one mistake, and said once.
struct IndentationTests {
    private static let manifest = """
        market:
          url: http://127.0.0.1:8080
          api: v2b
          limits:
            max_name: 200
        defaults:
          currency: KRW
          ignore_changes: [stock]
        policies:
          max_delete: 30%
          on_drift:
            stock: keep
        products:
          - key: lamp
            name: A desk lamp
            description: |
              It is for a desk.
              It is warm.
            price: 35000
            stock: 12
            images:
              - 1.png
              - 2.png
          - key: fan
            name: A round fan
            description: It is made of paper.
            price: 8000
            stock: {initial: 3}
            images: [1.png]
        """

    @Test func `one line with another indentation is one error`() throws {
        let folder = try TemporaryDirectory()
        for number in 1...2 { try folder.write("\(number).png", SmallPicture.png(number)) }
        let lines = Self.manifest.split(separator: "\n").map(String.init)
        func errors(_ lines: [String]) -> [Diagnostic] {
            ManifestLoader().decode(Array((lines.joined(separator: "\n") + "\n").utf8), folder: folder.path)
                .diagnostics.filter { $0.severity == .error }
        }
        #expect(errors(lines).isEmpty)
        var faulty = 0
        for (index, line) in lines.enumerated() {
            for shift in [-4, -2, -1, 1, 2, 4] {
                let indentation = line.prefix { $0 == " " }.count
                guard indentation + shift >= 0 else { continue }
                var changed = lines
                changed[index] = String(repeating: " ", count: indentation + shift) + line.dropFirst(indentation)
                let found = errors(changed)
                if !found.isEmpty { faulty += 1 }
                #expect(
                    found.count <= 1,
                    "line \(index + 1) moved by \(shift):\n\(found.map { "\($0.location?.description ?? "") \($0.message)" })"
                )
            }
        }
        #expect(faulty > 60)
    }
}
