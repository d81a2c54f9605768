import OpenMarketFiles

/// A file that a manifest refers to and may read.
struct ManifestPath {
    /// The absolute path, with symbolic links resolved.
    var absolute: String
    var size: Int

    struct Refusal: Error {
        var message: String
        var help: String?
    }

    /// Resolves a path written in a manifest file: relative to that file, a regular file, inside its folder.
    init(_ path: String, source: ManifestSource, options: ManifestOptions) throws(Refusal) {
        guard !path.isEmpty else { throw Refusal(message: "the path is empty") }
        guard !path.utf8.contains(0) else { throw Refusal(message: "the path has a NUL character") }
        if path.utf8.starts(with: "http://".utf8) || path.utf8.starts(with: "https://".utf8) {
            throw Refusal(message: "\(path) is a URL", help: "files are read from disk; download it first")
        }
        let joined = path.utf8.first == UInt8(ascii: "/") ? path : source.folder + "/" + path
        var resolved = FileSystem.resolved(joined)
        if resolved == nil, case .missing = FileSystem.kind(of: joined) {
            // Archives created on a Mac have names in another Unicode form.
            resolved = FileSystem.respelt(joined).flatMap(FileSystem.resolved)
        }
        guard let absolute = resolved else {
            if case .unreachable(let reason) = FileSystem.kind(of: joined, as: .named) {
                throw Refusal(message: "\(path) cannot be read: \(reason)")
            }
            let near = FileSystem.nearestName(to: joined)
            throw Refusal(message: "\(path) does not exist", help: near.map { "did you mean '\($0)'?" })
        }
        // A refused path is still a file that the manifest was meant to read.
        let kind = FileSystem.kind(of: absolute, as: .named)
        guard options.allowOutside || FileSystem.contains(folder: source.fence ?? source.resolvedFolder, path: absolute)
        else {
            throw Refusal(
                message: "\(path) is outside the manifest's folder",
                help: "move it there, or allow it with --allow-outside"
            )
        }
        switch kind {
        case .regular(let size): (self.absolute, self.size) = (absolute, size)
        case .folder: throw Refusal(message: "\(path) is a folder")
        case .stream: throw Refusal(message: "\(path) is not a regular file")
        case .missing: throw Refusal(message: "\(path) does not exist")
        case .unreachable(let reason): throw Refusal(message: "\(path) cannot be read: \(reason)")
        }
    }
}
