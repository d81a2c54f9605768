import OpenMarket

/// The changes since an earlier export, in each of the formats.
package struct ChangeDocument {
    private let difference: CatalogDifference
    private let earlier: String

    /// `earlier` is the name of the earlier export as the user gave it.
    package init(_ difference: CatalogDifference, since earlier: String) {
        self.difference = difference
        self.earlier = earlier
    }

    /// The whole file in one format; a format that changes do not have gives text.
    ///
    /// The style applies to text. Known secrets are masked, except in tables, which leave out such texts as an
    /// export does.
    package func bytes(as format: ExportFormat, style: Style = .plain) -> [UInt8] {
        let mask = SecretMask.current
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
