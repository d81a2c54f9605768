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
        var result: [ContentDigest] = []
        for identity in self {
            guard case .digest(let digest) = identity else { return nil }
            result.append(digest)
        }
        return result
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
        guard count == other.count else { return false }
        var left: [Element: Int] = [:]
        for element in self { left[element, default: 0] += 1 }
        for element in other {
            guard let rest = left[element], rest > 0 else { return false }
            left[element] = rest - 1
        }
        return true
    }
}
