import FoundationEssentials

/// The folder of a document, to which paths in it are relative.
package enum DocumentFolder {
    /// The absolute folder of a file, with symbolic links resolved.
    package static func of(_ file: String) -> String {
        URL(filePath: file).deletingLastPathComponent().resolvingSymlinksInPath().path
    }

    package static var current: String { of("./-") }
}
