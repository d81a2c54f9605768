/// What was to be written is not what would be read: nothing of it may take a file's place.
package struct UnreadableManifest: Error, Hashable, Sendable, CustomStringConvertible {
    /// The product at fault; `nil` for what is above the products.
    var key: String?

    /// One sentence, without a full stop.
    package var description: String {
        let what = key.map { "'\($0)'" } ?? "the head of the manifest"
        return "\(what) cannot be written so that it is read back as it is; nothing was written"
    }
}
