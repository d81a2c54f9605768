import OpenMarket
import OpenMarketFiles
import OpenMarketManifest

/// Why a manifest does not say where a secret is found.
struct UnsayableSecret: Error {
    /// A clause: "it is …".
    var reason: String
}

/// The places of secrets as the manifest that is written says them.
extension PullRun {
    /// What the manifest calls a file: relative where it is below the manifest's folder.
    func named(_ file: String) -> String {
        let folder = FileSystem.resolved(FileSystem.folder(of: path)) ?? ""
        let start = folder.hasSuffix("/") ? folder : folder + "/"
        return file.utf8.starts(with: start.utf8)
            ? "./" + String(decoding: file.utf8.dropFirst(start.utf8.count), as: UTF8.self) : file
    }

    /// Where the manifest finds a secret.
    ///
    /// - Throws: ``UnsayableSecret``, where it would not be found: a manifest names no file outside its folder, and what is written out
    ///   elsewhere is not written out again.
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

    /// Makes the head of the manifest name the market's credentials as far as that is possible, and say where it is not.
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
