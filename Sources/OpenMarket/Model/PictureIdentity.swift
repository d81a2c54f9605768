package enum PictureIdentity: Hashable, Sendable {
    /// A picture whose bytes this tool sent or fetched.
    case digest(ContentDigest)
    /// A live picture whose bytes were not compared yet, by its reference.
    case unknown(String)

    /// Compares references by their bytes.
    package static func == (left: PictureIdentity, right: PictureIdentity) -> Bool {
        switch (left, right) {
        case (.digest(let left), .digest(let right)): left == right
        case (.unknown(let left), .unknown(let right)): left.isExactly(right)
        case (.digest, .unknown), (.unknown, .digest): false
        }
    }
}

extension [PictureIdentity] {
    /// `nil` unless every picture has a digest.
    var digests: [ContentDigest]? {
        let digests = compactMap { if case .digest(let digest) = $0 { digest } else { nil } }
        return digests.count == count ? digests : nil
    }

    /// The concatenated digests, 32 bytes each; `nil` unless every picture has one.
    var digestBytes: [UInt8]? {
        var result: [UInt8] = []
        for identity in self {
            guard case .digest(let digest) = identity, let bytes = digest.bytes else { return nil }
            result += bytes
        }
        return result
    }
}

extension Collection where Element: Hashable {
    /// Whether both have the same elements equally often, in any order.
    func isReordering(of other: some Collection<Element>) -> Bool {
        func counts(_ elements: some Collection<Element>) -> [Element: Int] {
            Dictionary(elements.map { ($0, 1) }, uniquingKeysWith: +)
        }
        return count == other.count && counts(self) == counts(other)
    }
}
