package import OpenMarket
import OpenMarketFiles
import OpenMarketManifest

/// Resolves secrets again from the references in plans and state.
package struct SecretLookup: Sendable {
    private let environment: [String: String]

    package init(environment: [String: String]) { self.environment = environment }

    /// The secret, or its reference if it is not set, because a read-only plan works without a secret.
    ///
    /// Throws `FileError` if a file that holds it is missing.
    func resolveIfSet(_ reference: SecretReference) throws -> ResolvedSecret {
        if case .environment(let name) = reference, environment[name, default: ""].isEmpty {
            return ResolvedSecret(unset: reference)
        }
        return try resolve(reference)
    }

    /// Throws `FileError` if a file that holds the secret is missing.
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

    // MARK: - Of a market

    /// The passwords of single products (v1).
    ///
    /// They are the manifest's. For products that it no longer names, references in state and journal are resolved.
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
            // A missing secret is only reported when it is needed.
            secrets[reference] = try? resolve(reference).value
        }
        return secrets
    }

    /// The passwords of single products (v1) that a saved plan writes with.
    package func itemSecrets(of saved: SavedPlan) throws -> [SecretReference: Secret] {
        try Dictionary(
            uniqueKeysWithValues: Set(saved.plan.operations.compactMap(\.secret)).map { ($0, try resolve($0).value) }
        )
    }

    /// The market of a saved plan; its identifier must be the one that the plan was created with.
    package func target(of saved: SavedPlan) throws -> MarketTarget {
        let target = MarketTarget(
            url: saved.url,
            profile: saved.profile,
            identifier: try saved.identifier.map(resolve),
            secret: try saved.secret.map(resolveIfSet),
            pictureHosts: saved.pictureHosts,
            sendsKeys: saved.sendsKeys
        )
        guard target.scope.identifier == saved.identifierDigest else {
            throw CommandFailure(.invalidInput, "the plan has another identifier than the one that is set")
        }
        return target
    }

    /// The secrets of a saved plan that can still be resolved.
    ///
    /// They are masked from now on, so that no review of the plan shows them.
    @discardableResult
    package func found(of saved: SavedPlan) -> [Secret] {
        saved.secretReferences.compactMap { try? resolve($0).value }
    }
}

extension SavedPlan {
    /// The references of the secrets that applying the plan needs.
    var secretReferences: Set<SecretReference> {
        Set(([identifier, secret] + plan.operations.map(\.secret)).compactMap(\.self))
    }
}
