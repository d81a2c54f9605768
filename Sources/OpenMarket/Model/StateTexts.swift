// The text form, in the state and in exported lines, of values without a column type or a JSON type.
//
// All are parsed by bytes, because the text after a colon may begin with a combining mark.

extension String {
    /// The text after a prefix, compared by bytes; `nil` without the prefix.
    fileprivate func behind(_ beginning: String) -> String? {
        utf8.starts(with: beginning.utf8) ? String(decoding: utf8.dropFirst(beginning.utf8.count), as: UTF8.self) : nil
    }
}

extension PictureIdentity {
    /// `sha256:` and the digest, or `reference:` and the market's reference.
    package var stateText: String {
        switch self {
        case .digest(let digest): "sha256:" + digest.hexadecimal
        case .unknown(let reference): "reference:" + reference
        }
    }

    package init?(stateText text: String) {
        if let hexadecimal = text.behind("sha256:") {
            guard let digest = ContentDigest(hexadecimal: hexadecimal) else { return nil }
            self = .digest(digest)
        } else if let reference = text.behind("reference:") {
            self = .unknown(reference)
        } else {
            return nil
        }
    }
}

extension StateEntry.BoundImage {
    package var stateText: String { digest.hexadecimal + " " + reference }

    package init?(stateText text: String) {
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
    package var stateText: String { salePrice?.description ?? "none" }

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
    /// `env:` and the name, `file:` and the path, or `manifest:` with location and path.
    package var stateText: String {
        switch self {
        case .environment(let name): "env:" + name
        case .file(let path): "file:" + path
        case .manifest(let file, let path): "manifest:" + path + ":" + file
        }
    }

    package init?(stateText text: String) {
        if let name = text.behind("env:") {
            self = .environment(name)
        } else if let path = text.behind("file:") {
            self = .file(path)
        } else if let rest = text.behind("manifest:")?.utf8, let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            self = .manifest(
                String(decoding: rest[colon...].dropFirst(), as: UTF8.self),
                path: String(decoding: rest[..<colon], as: UTF8.self)
            )
        } else {
            return nil
        }
    }
}
