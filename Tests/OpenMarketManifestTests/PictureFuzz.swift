@testable import OpenMarketManifest

/// What must hold for the picture probe, whatever the bytes.
enum PictureFuzz {
    /// What is wrong with the probe; `nil` when nothing is.
    static func fault(_ bytes: [UInt8]) -> String? {
        let whole = PictureProbe(bytes)
        if whole.isWhole, whole.format == nil { return "an end without a format" }
        guard let size = whole.size else { return nil }
        if whole.format == nil { return "a size without a format" }
        return size.width > 0 && size.height > 0 ? nil : "a size that no picture has"
    }
}
