@testable import OpenMarket
@testable import OpenMarketDescription
import Testing
@testable import OpenMarketWorkflow

struct ReadCertificateTests {
    private static let digest = ContentDigest(bytes: Array(repeating: 7, count: 32))
    private static let other = ContentDigest(bytes: Array(repeating: 8, count: 32))

    private static func certificate(
        _ format: ExportFormat = .csv,
        columns: [CatalogColumn] = [.id, .name]
    ) throws -> ReadCertificate {
        var summary = CatalogSummary()
        summary.rows = 3
        summary.catalogMoved = true
        let written = ExportCertificate(
            tool: "test 1",
            market: "https://m.example",
            profile: .v2b,
            request: ExportRequest(format: format, columns: columns),
            summary: summary,
            problems: 0,
            lostRows: 0,
            digest: digest,
            startedAt: .epoch,
            endedAt: .epoch
        )
        return try #require(ReadCertificate(bytes: written.document.bytes(pretty: true)))
    }

    @Test func `it says what was certified`() throws {
        let certificate = try Self.certificate()
        #expect(certificate.rows == 3)
        #expect(certificate.digest == Self.digest)
        #expect(certificate.market == "https://m.example")
        #expect(certificate.catalogMoved)
        #expect(certificate.endedAt == Timestamp.epoch.iso8601)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"format_version":2,"rows":1,"sha256":"00"}"#,
        #"{"format_version":1,"rows":1,"sha256":"00"}"#,
    ])
    func `what is not a certificate is not read as one`(text: String) {
        #expect(ReadCertificate(bytes: Array(text.utf8)) == nil)
    }

    @Test func `a file with other bytes does not match, and its rows are not counted`() throws {
        let certificate = try Self.certificate()
        var wasCounted = false
        #expect(throws: ExportMismatch.digest(found: Self.other, certified: Self.digest)) {
            try certificate.check(Self.other, fileName: "a.csv") {
                wasCounted = true
                return 3
            }
        }
        #expect(!wasCounted)
    }

    @Test func `a file with other rows does not match`() throws {
        let certificate = try Self.certificate()
        #expect(throws: ExportMismatch.rows(found: 2, certified: 3)) {
            try certificate.check(Self.digest, fileName: "a.csv") { 2 }
        }
        try certificate.check(Self.digest, fileName: "a.csv") { 3 }
    }

    @Test func `rows of a manifest and of a file without ids are not counted`() throws {
        for name in ["a.yaml", "a"] { try Self.certificate(.manifest).check(Self.digest, fileName: name) { 0 } }
        try Self.certificate(columns: [.name]).check(Self.digest, fileName: "a.csv") { 0 }
    }
}
