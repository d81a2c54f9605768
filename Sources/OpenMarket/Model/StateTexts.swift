// How values that neither a column nor JSON has a type for stand in the state, and in an exported line.

extension PictureIdentity {
    /// `sha256:` and the digest, or `reference:` and the market's name.
    package var stateText: String {
        switch self {
        case .digest(let digest): "sha256:" + digest.hexadecimal
        case .unknown(let reference): "reference:" + reference
        }
    }

    /// Reads ``stateText``.
    package init?(stateText text: some StringProtocol) {
        if text.hasPrefix("sha256:") {
            guard let digest = ContentDigest(hexadecimal: String(text.dropFirst(7))) else { return nil }
            self = .digest(digest)
        } else if text.hasPrefix("reference:") {
            self = .unknown(String(text.dropFirst(10)))
        } else {
            return nil
        }
    }
}

extension StateEntry.BoundImage {
    /// The digest, a space, the market's name.
    package var stateText: String { digest.hexadecimal + " " + reference }

    /// Reads ``stateText``.
    package init?(stateText text: some StringProtocol) {
        let bytes = text.utf8
        guard let space = bytes.index(bytes.startIndex, offsetBy: 64, limitedBy: bytes.endIndex),
            space < bytes.endIndex,
            bytes[space] == UInt8(ascii: " "),
            let digest = ContentDigest(hexadecimal: String(text[..<space]))
        else { return nil }
        self.init(digest: digest, reference: String(text[bytes.index(after: space)...]))
    }
}

extension Sale {
    /// `none`, or the sale price.
    package var stateText: String { salePrice?.description ?? "none" }

    /// Reads ``stateText``.
    package init?(stateText text: String) {
        if text == "none" {
            self = .fullPrice
        } else if let price = ExactDecimal(text) {
            self = .price(price)
        } else {
            return nil
        }
    }
}

extension SecretReference {
    /// `env:` and the name, `file:` and the path, or `manifest:` with the place and the path.
    package var stateText: String {
        switch self {
        case .environment(let name): "env:" + name
        case .file(let path): "file:" + path
        case .manifest(let file, let path): "manifest:" + path + ":" + file
        }
    }

    /// Reads ``stateText``.
    package init?(stateText text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let rest = String(text[text.index(after: colon)...])
        switch text[..<colon] {
        case "env": self = .environment(rest)
        case "file": self = .file(rest)
        case "manifest":
            guard let colon = rest.firstIndex(of: ":") else { return nil }
            self = .manifest(String(rest[rest.index(after: colon)...]), path: String(rest[..<colon]))
        default: return nil
        }
    }
}
