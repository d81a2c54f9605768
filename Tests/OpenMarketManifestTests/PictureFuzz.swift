@testable import OpenMarketFiles
@testable import OpenMarketManifest

/// What must hold for the picture probe, whatever the bytes.
enum PictureFuzz {
    /// What is wrong with the probe; `nil` when nothing is.
    static func fault(_ bytes: [UInt8]) -> String? {
        let whole = probe(bytes, chunk: max(bytes.count, 1))
        for chunk in [1, 5, 24] {
            let pieces = probe(bytes, chunk: chunk)
            if pieces.format != whole.format { return "another format in pieces of \(chunk)" }
            if pieces.isWhole != whole.isWhole { return "another end in pieces of \(chunk)" }
            if pieces.otherKind?.name != whole.otherKind?.name { return "another kind in pieces of \(chunk)" }
            if pieces.size?.width != whole.size?.width || pieces.size?.height != whole.size?.height {
                return "another size in pieces of \(chunk)"
            }
        }
        guard let size = whole.size else { return nil }
        if whole.format == nil { return "a size without a format" }
        return size.width > 0 && size.height > 0 ? nil : "a size that no picture has"
    }

    private static func probe(_ bytes: [UInt8], chunk: Int) -> PictureProbe {
        var probe = PictureProbe()
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            probe.consume(Array(bytes[start..<min(start + chunk, bytes.count)]))
        }
        return probe
    }
}
