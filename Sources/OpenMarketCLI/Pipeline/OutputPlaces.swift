import OpenMarket

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The files that a command reads, none of which its outputs may replace: `plan -o openmarket.yaml` is a slip.
struct OutputPlaces {
    /// What the files are, for the message, with their paths.
    let inputs: [(what: String, path: String)]

    /// - Throws: ``CommandFailure`` with exit 64 when the output would take the place of an input, or is `-`.
    func check(_ path: String?, _ flag: String, allowsStdout: Bool = false) throws {
        guard let path, !(path == "-" && allowsStdout) else { return }
        guard path != "-" else {
            throw CommandFailure(.usage, "\(flag) takes the name of a file, and not -")
        }
        guard let place = Self.identity(path) else { return }
        for input in inputs where Self.identity(input.path).map({ $0 == place }) ?? false {
            throw CommandFailure(.usage, "\(flag) \(path) would replace \(input.what)", help: "name another file")
        }
    }

    /// What the file is, whatever it is called; `nil` where there is none.
    private static func identity(_ path: String) -> [UInt64]? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return [UInt64(truncatingIfNeeded: status.st_dev), UInt64(status.st_ino)]
    }
}

extension OutputPlaces {
    /// What planning reads: the manifests, their pictures, the state.
    init(manifest: Manifest, state: String) {
        let pictures = Set(manifest.listings.lazy.flatMap(\.pictures).map(\.file))
        inputs =
            manifest.files.map { ("the manifest", $0) } + [("the state", state)]
            + pictures.map { ("a picture of the manifest", $0) }
    }
}
