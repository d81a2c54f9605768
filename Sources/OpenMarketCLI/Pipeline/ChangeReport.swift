import OpenMarket
import OpenMarketCatalogFiles
import OpenMarketFiles
import OpenMarketReview
import OpenMarketWorkflow
import SystemPackage

/// Where it is written what changed since an earlier export, and how.
struct ChangeReport {
    /// How it is written.
    let format: ExportFormatOption
    /// Where; `-` is stdout.
    let path: String

    /// - Parameters:
    ///   - path: where; `-` is stdout.
    ///   - format: what the flag says, if anything.
    /// - Throws: ``CommandFailure`` with exit 64 where changes have no such format.
    init(path: String, format: ExportFormatOption?) throws {
        self.path = path
        let named = ExportFormatOption(fileName: path)
        if format == nil, named == nil, path != "-", let ending = ExportFormat.ending(of: path),
            FileSystem.mayBecomeRegular(path)
        {
            throw CommandFailure(
                .usage,
                "\(Setting.out.flag) \(path): there is no format .\(ending) of what changed",
                help: "take .txt, .md, .json, .csv, .tsv or .jsonl, or \(Setting.format.flag)"
            )
        }
        self.format = format ?? named ?? .text
        guard ![.sqlite, .manifest].contains(self.format) else {
            throw CommandFailure(
                .usage,
                "\(Setting.since.flag) writes no \(self.format.rawValue)",
                help: "take text, markdown, json, csv, tsv or jsonl"
            )
        }
    }

    func write(_ difference: CatalogDifference, since file: String, to console: Console) throws {
        func masked(_ text: String) -> [UInt8] { Array(console.masked(text).utf8) }
        let changes = difference.changes
        let moved = difference.reading.summary.catalogMoved
        let bytes: [UInt8] =
            switch format {
            case .text, .sqlite, .manifest:
                masked(CatalogChangesTextRenderer(style: path == "-" ? console.outputStyle : .plain).render(changes))
            case .markdown: masked(CatalogChangesMarkdownRenderer().render(changes, since: file))
            case .json:
                console.masked(
                    json: changes.document(since: file, catalogMoved: moved).bytes(pretty: true) + Array("\n".utf8)
                )
            case .csv: CatalogChangeTable.bytes(changes, as: .table(delimiter: UInt8(ascii: ",")))
            case .tsv: CatalogChangeTable.bytes(changes, as: .table(delimiter: UInt8(ascii: "\t")))
            case .jsonl: CatalogChangeTable.bytes(changes, as: .lines)
            }
        guard path != "-" else {
            return try format == .text || format == .json ? console.write(data: bytes) : console.write(catalog: bytes)
        }
        let isCompressed = ExportFormat.isCompressed(fileName: path)
        try AtomicFile.write(
            isCompressed ? GzipWriter.compressed(bytes) : bytes,
            to: path,
            permissions: AtomicFile.readableByAll
        )
    }
}
