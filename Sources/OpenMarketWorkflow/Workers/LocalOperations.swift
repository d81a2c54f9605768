import OpenMarket

/// Gives operations that another machine planned the pictures and secrets of this one: their paths are that machine's.
struct LocalOperations: Sendable {
    private var files: [ContentDigest: String] = [:]
    /// Of products that have a secret of their own.
    private var secrets: [String: SecretReference] = [:]

    /// - Parameter manifest: The manifest as it was read here, of the same bytes as there.
    init(_ manifest: Manifest) {
        for listing in manifest.listings {
            for picture in listing.pictures { files[picture.digest] = picture.file }
            secrets[listing.key] = listing.secret?.reference
        }
    }

    /// An operation of this machine; pictures are found by the SHA-256 of their bytes.
    ///
    /// - Throws: ``JoiningError/pictureMissing(path:key:)``.
    func adapted(_ operation: PlannedOperation) throws(JoiningError) -> PlannedOperation {
        var adapted = operation
        if let secret = operation.secret, secret.namesFile, let own = secrets[operation.key] { adapted.secret = own }
        let pictures = operation.pictures
        guard !pictures.isEmpty else { return adapted }
        var found: [Picture] = []
        for var picture in pictures {
            guard let file = files[picture.digest] else {
                throw .pictureMissing(path: picture.path, key: operation.key)
            }
            picture.file = file
            found.append(picture)
        }
        adapted.work = operation.work.sending(found)
        return adapted
    }
}

extension SecretReference {
    /// Whether it names a file, which another machine has elsewhere.
    fileprivate var namesFile: Bool { if case .environment = self { false } else { true } }
}

extension PlannedOperation.Work {
    /// The same with other picture files to be sent.
    fileprivate func sending(_ pictures: [Picture]) -> PlannedOperation.Work {
        switch self {
        case .create(var product):
            product.pictures = pictures
            return .create(product)
        case .update(var update):
            update.pictures = pictures
            return .update(update)
        case .replace(var replacement):
            replacement.product.pictures = pictures
            return .replace(replacement)
        case .adopt, .delete, .forget: return self
        }
    }
}
