@testable import OpenMarket
@testable import OpenMarketDescription
import OpenMarketFiles
import Testing
@testable import OpenMarketWorkflow

struct ExportCertificateTests {
    private static let digest = ContentDigest.of(7)
    private static let other = ContentDigest.of(8)

    private static func certificate(
        _ format: ExportFormat = .csv,
        columns: [CatalogColumn] = [.id, .name]
    ) throws -> ExportCertificate {
        var options = ExportOptions(columns: columns)
        options.format = format
        var summary = CatalogSummary()
        summary.rows = 3
        summary.catalogMoved = true
        let written = ExportCertificate(
            tool: "test 1",
            market: MarketScope(url: "https://m.example", profile: .v2b, identifier: nil),
            profile: .v2b,
            options: options,
            reading: CatalogReading(summary: summary, problems: 0, lostRows: 0, startedAt: .epoch, endedAt: .epoch),
            digest: digest
        )
        let read = try #require(ExportCertificate(bytes: written.document.bytes(pretty: true)))
        #expect(read == written)
        return read
    }

    @Test func `it says what was certified`() throws {
        let certificate = try Self.certificate()
        #expect(certificate.rows == 3)
        #expect(certificate.digest == Self.digest)
        #expect(certificate.market?.url == "https://m.example")
        #expect(certificate.catalogMoved && certificate.isUnproved)
        #expect(certificate.format == .csv)
        #expect(certificate.endedAt == Timestamp.epoch.iso8601)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"format_version":2,"rows":1,"sha256":"00"}"#,
        #"{"format_version":1,"rows":1,"sha256":"00"}"#,
    ])
    func `what is not a certificate is not read as one`(text: String) {
        #expect(ExportCertificate(bytes: Array(text.utf8)) == nil)
    }

    @Test func `a file with other bytes does not match, and its rows are not counted`() throws {
        let certificate = try Self.certificate()
        var wasCounted = false
        let mismatch = certificate.mismatch(Self.other, of: "a.csv") {
            wasCounted = true
            return 3
        }
        #expect(mismatch?.message?.contains("its SHA-256 is \(Self.other.hexadecimal)") == true)
        #expect(!wasCounted)
    }

    @Test func `a file with other rows does not match`() throws {
        let certificate = try Self.certificate()
        let mismatch = certificate.mismatch(Self.digest, of: "a.csv") { 2 }
        #expect(mismatch?.message == "a.csv has 2 products, and its certificate counts 3")
        #expect(certificate.mismatch(Self.digest, of: "a.csv") { 3 } == nil)
    }

    @Test func `rows of a manifest and of a file without ids are not counted`() throws {
        for name in ["a.yaml", "a"] {
            #expect(try Self.certificate(.manifest).mismatch(Self.digest, of: name) { 0 } == nil)
        }
        #expect(try Self.certificate(columns: [.name]).mismatch(Self.digest, of: "a.csv") { 0 } == nil)
    }
}
