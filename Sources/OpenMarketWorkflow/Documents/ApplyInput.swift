import OpenMarketFiles

/// The input of an apply: a saved plan, recognized by its first bytes, or manifests.
package enum ApplyInput: Sendable {
    case plan([UInt8], file: String)
    /// Manifests; `standardInput` has the bytes for ``ManifestLoader`` if detection already read them.
    case manifests(standardInput: [UInt8]?)

    /// Detects whether the files are a plan or manifests; `-` is standard input.
    ///
    /// Throws ``CommandFailure`` if a file with a name for plans only is missing, and `FileError` if standard input cannot be read.
    package init(_ paths: [String]) throws {
        self = .manifests(standardInput: nil)
        guard let path = paths.first, paths.count == 1 else { return }
        if path.hasSuffix(".json"), !FileSystem.isRegular(path) {
            let help =
                FileSystem.nearestName(to: path).map { "did you mean '\($0)'?" }
                ?? "save a plan there first: openmarket plan -o \(path)"
            throw CommandFailure(.invalidInput, FileSystem.absence(of: path), help: help)
        }
        guard path == "-" else {
            // An unreadable file is reported when it is read as a manifest.
            if let bytes = try? SavedPlan.bytes(ifPlan: path) { self = .plan(bytes, file: path) }
            return
        }
        let input = try InputFile.bytes(of: path)
        self = SavedPlan.isPlan(input) ? .plan(input, file: path) : .manifests(standardInput: input)
    }
}
