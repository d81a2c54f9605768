/// The error for a manifest that would be read differently than intended, and must not replace a file.
package struct UnreadableManifest: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String {
        "the manifest cannot be written so that it reads back the same; no file was written"
    }
}
