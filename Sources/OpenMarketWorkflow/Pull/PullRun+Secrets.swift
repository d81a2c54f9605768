import OpenMarket
import OpenMarketFiles
import OpenMarketManifest

extension PullRun {
    /// The file's name in the manifest: relative if it is below the manifest's folder.
    func named(_ file: String) -> String {
        let folder = FileSystem.resolved(FileSystem.folder(of: path)) ?? ""
        let start = folder.hasSuffix("/") ? folder : folder + "/"
        return file.utf8.starts(with: start.utf8)
            ? "./" + String(decoding: file.utf8.dropFirst(start.utf8.count), as: UTF8.self) : file
    }

    /// The location of a secret for the manifest, or the reason that the manifest does not state it.
    ///
    /// A manifest names no file outside its folder, and secrets in plain text elsewhere are not copied.
    func sayable(_ secret: SecretReference?) -> (secret: SecretReference?, fault: String?) {
        switch secret {
        case nil, .environment: return (secret, nil)
        case .file(let file):
            let name = named(file).utf8
            guard name.starts(with: "./".utf8) else {
                return (nil, "it is in \(file), outside of the manifest's folder")
            }
            return (.file(String(decoding: name.dropFirst(2), as: UTF8.self)), nil)
        case .manifest(let file, _): return (nil, "it was written out in \(file), and secrets are not copied")
        }
    }

    /// Writes the market's credentials into the head as far as possible, and reports the others.
    func nameSecrets(in head: inout ManifestHead) {
        for (key, path) in [("identifier", \ManifestHead.identifier), ("secret", \ManifestHead.secret)] {
            let (said, fault) = sayable(head[keyPath: path])
            head[keyPath: path] = said
            if let fault { head.comments.append("market.\(key) is not written: \(fault)") }
        }
    }
}
