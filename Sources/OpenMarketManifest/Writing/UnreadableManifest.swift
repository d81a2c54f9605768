/// The error for a manifest that would be read differently than intended, and must not replace a file.
package struct UnreadableManifest: Error, Hashable, Sendable, CustomStringConvertible {
    /// The faulty product; `nil` for the part above the products.
    var key: String?

    /// One sentence, without a full stop.
    package var description: String {
        let what = key.map { "'\($0)'" } ?? "the head of the manifest"
        return "\(what) cannot be written so that it reads back the same; no file was written"
    }
}
