import OpenMarket

/// Sets this machine's pictures and secrets in operations that another machine planned, because paths differ.
struct LocalOperations: Sendable {
    private var files: [ContentDigest: String] = [:]
    static let help = "bring manifest and pictures to the revision that the run was begun with"

    /// Only of products that have their own secret.
    private var secrets: [String: SecretReference] = [:]

    /// `manifest` is read on this machine, from the same bytes as on the other one.
    init(_ manifest: Manifest) {
        for listing in manifest.listings {
            for picture in listing.pictures { files[picture.digest] = picture.file }
            secrets[listing.key] = listing.secret?.reference
        }
    }

    /// The operation for this machine; pictures are found by the SHA-256 of their bytes.
    func adapted(_ operation: PlannedOperation) throws(CommandFailure) -> PlannedOperation {
        var adapted = operation
        if let secret = operation.secret, secret.namesFile, let own = secrets[operation.key] { adapted.secret = own }
        let pictures = operation.pictures
        guard !pictures.isEmpty else { return adapted }
        var found: [Picture] = []
        for var picture in pictures {
            guard let file = files[picture.digest] else {
                let what = "\(picture.path) of '\(operation.key)' is not the picture that the run is to send"
                throw CommandFailure(.invalidInput, what, help: Self.help)
            }
            picture.file = file
            found.append(picture)
        }
        adapted.work = operation.work.sending(found)
        return adapted
    }
}

extension SecretReference {
    /// Whether it names a file, whose path differs on another machine.
    fileprivate var namesFile: Bool { if case .environment = self { false } else { true } }
}

extension PlannedOperation.Work {
    func sending(_ pictures: [Picture]) -> PlannedOperation.Work {
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
        case .adopt, .delete, .forget, .rename: return self
        }
    }
}
