import FoundationEssentials

/// The folder of a document, which the paths in it are relative to.
package enum DocumentFolder {
    /// The folder of a file, absolute, symbolic links resolved.
    package static func of(_ file: String) -> String {
        URL(filePath: file).deletingLastPathComponent().resolvingSymlinksInPath().path
    }

    package static var current: String { of("./-") }
}
