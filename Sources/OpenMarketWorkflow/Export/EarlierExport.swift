import OpenMarket
import OpenMarketFiles

/// An earlier export in a file, which an export replaces or a comparison reads.
struct EarlierExport {
    let path: String
    let role: FileRole
    let access: any CatalogFileAccess

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
    func rows(ids: MarketID.Kind?, _ body: (CatalogRow) -> Void) throws(CommandFailure) {
        let format = format
        guard format != .manifest else {
            throw CommandFailure(
                .invalidInput,
                "\(path) is a manifest, which omits a part of the market's values",
                help: "`openmarket plan` compares the market with a manifest"
            )
        }
        do {
            try access.rows(of: path, as: role, ids: ids, isLines: format == .jsonl, body)
        } catch {
            throw unreadable(error)
        }
    }

    private func unreadable(_ error: any Error) -> CommandFailure {
        let export = "name a file that `openmarket export -o FILE` wrote"
        if let kind = FileKind(head: FileSystem.head(of: path, atMost: 24) ?? []), !kind.mayBeExport {
            return CommandFailure(.invalidInput, "\(path) is \(kind.name), and not an export", help: export)
        }
        let reason = error as? CatalogFileError
        let help = reason == .changes ? "\(export) without --since" : reason?.help
        return CommandFailure(.invalidInput, "cannot read the export \(path): \(error)", help: help)
    }

    /// The ids of the newest products, as far as the file can be read.
    ///
    /// Empty if it does not show them, and `nil` if it lacks products or is missing.
    func newestProducts(ids kind: MarketID.Kind, atMost count: Int) -> [MarketID]? {
        guard isThere else { return nil }
        guard format != .manifest else {
            guard let lines = manifestLines() else { return [] }
            let texts = lines.lazy.map { String(decoding: $0, as: UTF8.self) }
            guard texts.contains(where: { $0.drop { $0 == " " }.hasPrefix("-") }) else { return nil }
            // An id with quotes or escapes inside is left out.
            let ids = texts.compactMap { $0.wholeMatch(of: /[ -]*id: (["']?)([^"'\\]*)\1/).map { String($0.2) } }
            return Array(ids.compactMap { MarketID(spelled: $0, as: kind) }.prefix(count))
        }
        struct Enough: Error {}
        var found: [MarketID] = []
        do {
            // An empty file has no products in any format.
            try access.rows(of: path, as: role, ids: kind, isLines: true) { row in
                found.append(row.id)
                if found.count == count { throw Enough() }
            }
        } catch {
            // A damaged file may have other products.
            return found
        }
        return found.isEmpty ? nil : found
    }

    /// `nil` if the file cannot be read.
    private func manifestLines() -> [ArraySlice<UInt8>]? {
        guard let text = try? InputFile.bytes(of: path, as: role) else { return nil }
        let plain = ExportFormat.isCompressed(fileName: path) ? try? access.decompressor()(text) : text
        return plain?.split(separator: UInt8(ascii: "\n"))
    }

    /// The columns that are filled in every row, as far as the file can be read.
    func filled(_ columns: Set<CatalogColumn>) -> Set<CatalogColumn> {
        guard isThere else { return [] }
        let format = format
        guard format != .manifest else {
            let lines = manifestLines() ?? []
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
