package import OpenMarket

/// The certificate next to an exported file: the export's origin, completeness and digest.
package struct ExportCertificate: Hashable, Sendable {
    package let document: JSONValue
    package let digest: ContentDigest
    package let rows: Int

    package init(_ document: JSONValue, digest: ContentDigest, rows: Int) {
        self.document = document
        self.digest = digest
        self.rows = rows
    }

    /// Reads a certificate; `nil` if the bytes are not one.
    package init?(bytes: [UInt8]) {
        guard let document = try? JSONValue.parse(bytes), let rows = document["rows"]?.integer,
            let digest = document["sha256"]?.text.flatMap({ ContentDigest(hexadecimal: $0) })
        else { return nil }
        self.init(document, digest: digest, rows: Int(rows))
    }

    /// Reads the certificate of a file; `nil` if there is none.
    package init?(of file: String, as role: FileRole) {
        guard let bytes = try? InputFile.bytes(of: Self.path(of: file), as: role) else { return nil }
        self.init(bytes: bytes)
    }

    /// The path of a file's certificate: next to the file itself if the path is a link to it.
    package static func path(of file: String) -> String {
        ((try? FileSystem.destination(of: file)) ?? file) + ".certificate.json"
    }

    /// Whether an export wrote the file and it was changed since, to other bytes than these.
    static func showsEdit(of file: String, but taken: Set<ContentDigest> = []) -> Bool {
        guard let certificate = Self(of: file, as: []) else { return false }
        // A file that cannot be read may have been edited.
        return (try? InputFile.digest(of: file, as: [])).map { $0 != certificate.digest && !taken.contains($0) } ?? true
    }

    // A certificate of another version may lack the following members.

    package var market: MarketScope? {
        guard let market = document["market"], let url = market["url"]?.text, let name = market["profile"]?.text
        else { return nil }
        let parameters = market["parameters"].map { DocumentValue($0, at: "market.parameters") }
        return MarketScope(
            url: url,
            name: name,
            parameters: parameters.flatMap { try? [String: String](document: $0) } ?? [:],
            identifier: nil
        )
    }

    package var endedAt: String? { document["ended_at"]?.text }
    package var catalogMoved: Bool { document["catalog_moved"]?.truth ?? false }
    /// Whether the completeness of the export is unproved.
    package var isUnproved: Bool { document["proof"]?.text == "none" }
}
