package import OpenMarket
import OpenMarketFiles
import OpenMarketManifest

/// Why a secret is not found again.
package enum SecretLookupError: Error, Hashable, Sendable {
    /// The environment variable is not set.
    case unset(variable: String)
    /// The file is not UTF-8 text.
    case notText(String)
    /// The manifest no longer holds it at this place.
    case gone(from: String, place: String)
    /// A plan was made with another identifier.
    case otherIdentifier
}

extension SecretLookupError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unset(let variable): "the environment variable \(variable) is not set"
        case .notText(let path): "\(path) is not UTF-8 text"
        case .gone(let path, let place): "\(path) no longer holds \(place)"
        case .otherIdentifier: "the plan was made with another identifier than the one that is set"
        }
    }
}

/// Finds secrets again by what plans and state remember of them.
package struct SecretLookup: Sendable {
    private let environment: [String: String]

    /// - Parameter environment: The environment's variables.
    package init(environment: [String: String]) { self.environment = environment }

    /// The secret, or where it would be found: a plan that writes nothing needs none.
    ///
    /// - Throws: ``SecretLookupError``, and `FileError`, when a file that holds it is no longer there.
    func resolveIfSet(_ reference: SecretReference) throws -> ResolvedSecret {
        if case .environment(let name) = reference, environment[name, default: ""].isEmpty {
            return ResolvedSecret(unset: reference)
        }
        return try resolve(reference)
    }

    /// - Throws: ``SecretLookupError``, and `FileError`, when it is no longer there.
    func resolve(_ reference: SecretReference) throws -> ResolvedSecret {
        switch reference {
        case .environment(let name):
            guard let value = environment[name], !value.isEmpty else {
                throw SecretLookupError.unset(variable: name)
            }
            return ResolvedSecret(reference: reference, value: Secret(value))
        case .file(let path):
            guard let text = String(validating: try InputFile.bytes(of: path, as: .secret), as: UTF8.self) else {
                throw SecretLookupError.notText(path)
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
                throw SecretLookupError.gone(from: path, place: "\(place)")
            }
            return secret
        }
    }

    // MARK: - Of a market

    /// The passwords of single products (v1): the manifest's, and of products that it no longer names those that can still
    /// be found the way that state and journal remember.
    ///
    /// - Throws: what the state throws.
    package func itemSecrets(
        of manifest: Manifest,
        at target: MarketTarget,
        rememberedBy backend: any StateBackend
    ) async throws -> [SecretReference: Secret] {
        var secrets = Dictionary(manifest.listings.compactMap(\.secret).map { ($0.reference, $0.value) }) { first, _ in
            first
        }
        guard target.profile.capabilities.hasItemPasswords else { return secrets }
        let known = try await backend.reading(target.scope) { state in
            let basis = try await state.basis()
            return basis.snapshot.entries.secrets.union(basis.unresolved.compactMap(\.operation.secret))
        }
        for reference in known where secrets[reference] == nil {
            // One that is gone is missed only where it is needed, and named there.
            secrets[reference] = try? resolve(reference).value
        }
        return secrets
    }

    /// The passwords of single products (v1) that a saved plan writes with.
    ///
    /// - Throws: ``SecretLookupError``, and `FileError`.
    package func itemSecrets(of saved: SavedPlan) throws -> [SecretReference: Secret] {
        try Dictionary(
            uniqueKeysWithValues: Set(saved.plan.operations.compactMap(\.secret)).map { ($0, try resolve($0).value) }
        )
    }

    /// The market of a saved plan, which must be that of the identifier that the plan was made with.
    ///
    /// - Throws: ``SecretLookupError``, and `FileError`.
    package func target(of saved: SavedPlan) throws -> MarketTarget {
        let target = MarketTarget(
            url: saved.url,
            profile: saved.profile,
            identifier: try saved.identifier.map(resolve),
            secret: try saved.secret.map(resolveIfSet),
            pictureHosts: saved.pictureHosts,
            sendsKeys: saved.sendsKeys
        )
        guard target.scope.identifier == saved.identifierDigest else { throw SecretLookupError.otherIdentifier }
        return target
    }

    /// The secrets of a saved plan that are still found: what none of its reviews may show.
    package func found(of saved: SavedPlan) -> [Secret] {
        saved.secretReferences.compactMap { try? resolve($0).value }
    }
}

extension SavedPlan {
    /// Where the secrets are that the plan is carried out with.
    var secretReferences: Set<SecretReference> {
        Set(([identifier, secret] + plan.operations.map(\.secret)).compactMap(\.self))
    }
}
