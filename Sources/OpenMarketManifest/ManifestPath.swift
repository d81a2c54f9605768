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
    static func resolve(_ path: String, source: ManifestSource, options: ManifestOptions) -> Result<
        ManifestPath, Refusal
    > {
        func refuse(_ message: String, _ help: String? = nil) -> Result<ManifestPath, Refusal> {
            .failure(Refusal(message: message, help: help))
        }
        guard !path.isEmpty else { return refuse("the path is empty") }
        guard !path.utf8.contains(0) else { return refuse("the path has a NUL character") }
        if path.utf8.starts(with: "http://".utf8) || path.utf8.starts(with: "https://".utf8) {
            return refuse("\(path) is a URL", "files are read from disk; download it first")
        }
        let joined = path.utf8.first == UInt8(ascii: "/") ? path : source.folder + "/" + path
        var resolved = FileSystem.resolved(joined)
        if resolved == nil, case .missing = FileSystem.kind(of: joined) {
            // Archives created on a Mac have names in another Unicode form.
            resolved = FileSystem.respelt(joined).flatMap(FileSystem.resolved)
        }
        guard let absolute = resolved else {
            if case .unreachable(let reason) = FileSystem.kind(of: joined, as: .named) {
                return refuse("\(path) cannot be read: \(reason)")
            }
            let near = FileSystem.nearestName(to: joined)
            return refuse("\(path) does not exist", near.map { "did you mean '\($0)'?" })
        }
        // A refused path is still a file that the manifest was meant to read.
        let kind = FileSystem.kind(of: absolute, as: .named)
        guard options.allowOutside || FileSystem.contains(folder: source.fence ?? source.resolvedFolder, path: absolute)
        else {
            return refuse(
                "\(path) is outside the manifest's folder",
                "move it there, or allow it with --allow-outside"
            )
        }
        switch kind {
        case .regular(let size): return .success(ManifestPath(absolute: absolute, size: size))
        case .folder: return refuse("\(path) is a folder")
        case .stream: return refuse("\(path) is not a regular file")
        case .missing: return refuse("\(path) does not exist")
        case .unreachable(let reason): return refuse("\(path) cannot be read: \(reason)")
        }
    }
}
