/// A file that a manifest names and may read.
struct ManifestPath {
    /// Absolute, symbolic links resolved.
    var absolute: String
    /// In bytes.
    var size: Int

    /// Why a path is refused.
    struct Refusal: Error {
        var message: String
        var help: String?
    }

    /// Finds a path that stands in a manifest file: relative to it, a regular file, inside its folder.
    static func resolve(_ path: String, source: ManifestSource, allowOutside: Bool) -> Result<ManifestPath, Refusal> {
        func refuse(_ message: String, _ help: String? = nil) -> Result<ManifestPath, Refusal> {
            .failure(Refusal(message: message, help: help))
        }
        guard !path.isEmpty else { return refuse("the path is empty") }
        guard !path.utf8.contains(0) else { return refuse("the path has a NUL character") }
        if path.hasPrefix("http://") || path.hasPrefix("https://") {
            return refuse("\(path) is a URL", "files are read from disk; download it first")
        }
        let joined = path.hasPrefix("/") ? path : source.folder + "/" + path
        guard let absolute = FileAccess.resolved(joined) else {
            switch FileAccess.kind(of: joined) {
            case .unreachable(let reason): return refuse("\(path) cannot be read: \(reason)")
            default: break
            }
            let siblings = FileAccess.names(in: FileAccess.folder(of: joined)) ?? []
            let near = Suggestion.nearest(to: FileAccess.name(of: path), in: siblings.sorted())
            return refuse("\(path) does not exist", near.map { "did you mean '\($0)'?" })
        }
        guard allowOutside || FileAccess.contains(folder: source.resolvedFolder, path: absolute) else {
            return refuse(
                "\(path) lies outside the manifest's folder",
                "move it there, or allow it with --allow-outside"
            )
        }
        switch FileAccess.kind(of: absolute) {
        case .regular(let size): return .success(ManifestPath(absolute: absolute, size: size))
        case .folder: return refuse("\(path) is a folder")
        case .stream: return refuse("\(path) is not a regular file")
        case .missing: return refuse("\(path) does not exist")
        case .unreachable(let reason): return refuse("\(path) cannot be read: \(reason)")
        }
    }
}
