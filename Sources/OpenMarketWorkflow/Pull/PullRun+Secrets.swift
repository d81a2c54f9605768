import OpenMarket
import OpenMarketFiles
import OpenMarketManifest

/// The reason that a manifest does not state the location of a secret.
struct UnsayableSecret: Error {
    /// A clause: "it is …".
    var reason: String
}

extension PullRun {
    /// The file's name in the manifest: relative if it is below the manifest's folder.
    func named(_ file: String) -> String {
        let folder = FileSystem.resolved(FileSystem.folder(of: path)) ?? ""
        let start = folder.hasSuffix("/") ? folder : folder + "/"
        return file.utf8.starts(with: start.utf8)
            ? "./" + String(decoding: file.utf8.dropFirst(start.utf8.count), as: UTF8.self) : file
    }

    /// The location of a secret for the manifest.
    ///
    /// Throws ``UnsayableSecret`` if the secret would not be found there: a manifest names no file outside its folder,
    /// and secrets in plain text elsewhere are not copied.
    func sayable(_ secret: SecretReference) throws(UnsayableSecret) -> SecretReference {
        switch secret {
        case .environment: return secret
        case .file(let file):
            let name = named(file).utf8
            guard name.starts(with: "./".utf8) else {
                throw UnsayableSecret(reason: "it is in \(file), outside of the manifest's folder")
            }
            return .file(String(decoding: name.dropFirst(2), as: UTF8.self))
        case .manifest(let file, _):
            throw UnsayableSecret(reason: "it was written out in \(file), and secrets are not copied")
        }
    }

    /// Writes the market's credentials into the head as far as possible, and reports the others.
    func nameSecrets(in head: inout ManifestHead) {
        func name(_ secret: inout SecretReference?, as key: String) {
            do throws(UnsayableSecret) {
                secret = try secret.map { reference throws(UnsayableSecret) in try sayable(reference) }
            } catch {
                secret = nil
                head.comments.append("market.\(key) is not written: \(error.reason)")
            }
        }
        var (identifier, secret) = (head.identifier, head.secret)
        name(&identifier, as: "identifier")
        name(&secret, as: "secret")
        (head.identifier, head.secret) = (identifier, secret)
    }
}
