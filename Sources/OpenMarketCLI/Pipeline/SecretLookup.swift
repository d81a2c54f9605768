import OpenMarket
import OpenMarketFiles
import OpenMarketManifest

/// Finds secrets again by what plans and state remember of them.
struct SecretLookup {
    let environment: [String: String]

    /// The secret, or where it would be found: a plan that writes nothing needs none.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when a file that holds it is no longer there.
    func resolveIfSet(_ reference: SecretReference) throws -> ResolvedSecret {
        if case .environment(let name) = reference, environment[name, default: ""].isEmpty {
            return ResolvedSecret(unset: reference)
        }
        return try resolve(reference)
    }

    /// - Throws: ``CommandFailure`` with exit 4 when it is no longer there.
    func resolve(_ reference: SecretReference) throws -> ResolvedSecret {
        switch reference {
        case .environment(let name):
            guard let value = environment[name], !value.isEmpty else {
                throw CommandFailure(.invalidInput, "the environment variable \(name) is not set")
            }
            return ResolvedSecret(reference: reference, value: Secret(value))
        case .file(let path):
            guard let text = String(validating: try InputFile.bytes(of: path, as: .secret), as: UTF8.self) else {
                throw CommandFailure(.invalidInput, "\(path) is not UTF-8 text")
            }
            return ResolvedSecret(reference: reference, value: Secret(content: text))
        case .manifest(let path, let place):
            var options = ManifestOptions(environment: environment)
            options.toleratesUnset = .market
            options.readsPictures = false
            let loaded = ManifestLoader(options: options).load([path])
            let settings = loaded.manifest?.market
            let candidates = [settings?.identifier, settings?.secret] + (loaded.manifest?.listings.map(\.secret) ?? [])
            guard let secret = candidates.compactMap(\.self).first(where: { $0.reference == reference }) else {
                throw CommandFailure(.invalidInput, "\(path) no longer holds \(place)")
            }
            return secret
        }
    }
}
