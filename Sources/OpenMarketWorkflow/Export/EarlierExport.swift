import OpenMarket
import OpenMarketFiles

/// An earlier export in a file, which an export replaces or a comparison reads.
struct EarlierExport {
    let path: String
    let role: FileRole
    let access: any CatalogFileAccess

    init(_ path: String, as role: FileRole, by access: any CatalogFileAccess) {
        self.path = path
        self.role = role
        self.access = access
    }

    private var isThere: Bool { path != "-" && !FileSystem.isMissing(path) }

    /// The format, from the certificate that has the file's bytes, or else from the file's name.
    private var format: ExportFormat {
        let named = ExportFormat(fileName: path)
        guard let certified = try? CertifiedExport(path: path, as: role), let format = certified.certificate.format,
            format != named, (try? certified.isWhole()) == true
        else { return named }
        return format
    }

    /// Reads the rows, in any format except a manifest.
    func rows(ids: MarketID.Kind?, _ body: (CatalogRow) -> Void) throws(ExportError) {
        let format = format
        guard format != .manifest else { throw .comparedManifest(path) }
        do {
            try access.rows(of: path, as: role, ids: ids, isLines: format == .jsonl, body)
        } catch {
            throw .unreadable(path, error)
        }
    }

    /// The ids of the newest products; empty if the file lacks ids, and `nil` if it lacks products or is missing.
    func newestProducts(ids: MarketID.Kind, atMost count: Int) throws(ExportError) -> [MarketID]? {
        guard isThere else { return nil }
        let isManifest = format == .manifest
        do {
            return try access.newestProducts(of: path, as: role, ids: ids, atMost: count, isManifest: isManifest)
        } catch {
            throw .unreadable(path, error)
        }
    }

    /// The columns that are filled in every row, as far as the file can be read.
    func filled(_ columns: Set<CatalogColumn>) -> Set<CatalogColumn> {
        guard isThere else { return [] }
        let format = format
        guard format != .manifest else {
            let text = (try? InputFile.bytes(of: path, as: role)) ?? []
            let plain = ExportFormat.isCompressed(fileName: path) ? try? access.decompressor()(text) : text
            let lines = plain?.split(separator: UInt8(ascii: "\n")) ?? []
            // As an export writes them; lines of block texts are indented deeper.
            func count(_ start: String) -> Int { lines.count { $0.starts(with: start.utf8) } }
            let products = count("  - ")
            return products == 0 ? [] : columns.filter { count("    \($0.rawValue):") >= products }
        }
        var filled: Set<CatalogColumn>?
        try? access.rows(of: path, as: role, ids: nil, isLines: format == .jsonl) { row in
            filled = (filled ?? columns).filter { ![.unset, .texts([])].contains(row[$0]) }
        }
        return filled ?? []
    }
}
