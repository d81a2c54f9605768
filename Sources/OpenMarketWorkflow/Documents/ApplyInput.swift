import OpenMarketFiles
import Synchronization

/// What an apply carries out: a saved plan, which is known by its first bytes, or what manifests say.
package enum ApplyInput: Sendable {
    /// The bytes of a saved plan, and the file that they are from.
    case plan([UInt8], file: String)
    /// Manifests; standard input as ``ManifestLoader`` takes it, where it was read to find that out.
    case manifests(standardInput: (@Sendable () -> [UInt8])?)

    /// There is no file of a name that only a plan has.
    package struct NoPlan: Error, Hashable, Sendable, CustomStringConvertible {
        /// Where the plan was to be.
        package let path: String

        package var description: String { FileSystem.absence(of: path) }

        /// The name of a file there that is much like it; `nil` where there is none.
        package var nearest: String? { FileSystem.nearestName(to: path) }
    }

    /// Finds out which of the two the named files are; `-` is standard input.
    ///
    /// - Throws: ``NoPlan``, and `FileError` where standard input cannot be read.
    package init(_ paths: [String]) throws {
        self = .manifests(standardInput: nil)
        guard let path = paths.first, paths.count == 1 else { return }
        if path.hasSuffix(".json"), !FileSystem.isRegular(path) { throw NoPlan(path: path) }
        guard path == "-" else {
            // What cannot be read is reported when it is read as a manifest.
            if let bytes = try? SavedPlan.bytes(ifPlan: path) { self = .plan(bytes, file: path) }
            return
        }
        let input = try InputFile.bytes(of: path)
        guard !SavedPlan.isPlan(input) else {
            self = .plan(input, file: path)
            return
        }
        let rest = Once(input)
        self = .manifests { rest.take() }
    }
}

/// Bytes that are given once; none afterwards.
private final class Once: Sendable {
    private let bytes: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

    func take() -> [UInt8] { bytes.withLock { exchange(&$0, with: []) } }
}
