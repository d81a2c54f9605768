package import OpenMarket

/// What changed since an earlier export, in each of the formats that it is written in.
package struct ChangeDocument {
    private let difference: CatalogDifference
    private let earlier: String

    /// - Parameters:
    ///   - difference: what changed, and how the market was read for it.
    ///   - earlier: the earlier export, as it was named.
    package init(_ difference: CatalogDifference, since earlier: String) {
        self.difference = difference
        self.earlier = earlier
    }

    /// The whole file in one of the formats.
    ///
    /// - Parameters:
    ///   - format: the format; what changes are not written in is written as text.
    ///   - style: the colours of text.
    ///   - mask: hides the credentials. Tables are the market's own texts, and as an export has them.
    /// - Returns: the bytes.
    package func bytes(as format: CatalogOutput, style: Style = .plain, hiding mask: CredentialMask) -> [UInt8] {
        let changes = difference.changes
        switch format {
        case .text, .sqlite, .manifest:
            return Array(mask.masked(CatalogChangesTextRenderer(style: style).render(changes)).utf8)
        case .markdown:
            return Array(mask.masked(CatalogChangesMarkdownRenderer().render(changes, since: earlier)).utf8)
        case .json:
            let document = changes.document(since: earlier, catalogMoved: difference.reading.summary.catalogMoved)
            return mask.masked(json: document.bytes(pretty: true) + Array("\n".utf8))
        case .csv: return CatalogChangeTable.bytes(changes, as: .table(delimiter: UInt8(ascii: ",")))
        case .tsv: return CatalogChangeTable.bytes(changes, as: .table(delimiter: UInt8(ascii: "\t")))
        case .jsonl: return CatalogChangeTable.bytes(changes, as: .lines)
        }
    }
}
