import OpenMarket

// How values that SQLite has no type for stand in a column, and in an exported line.

extension PictureIdentity {
    /// `sha256:` and the digest, or `reference:` and the market's name.
    var stateText: String {
        switch self {
        case .digest(let digest): "sha256:" + digest.hexadecimal
        case .unknown(let reference): "reference:" + reference
        }
    }

    /// Reads ``stateText``.
    init?(stateText text: some StringProtocol) {
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
    var stateText: String { digest.hexadecimal + " " + reference }

    /// Reads ``stateText``.
    init?(stateText text: some StringProtocol) {
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
    var stateText: String { salePrice?.description ?? "none" }

    /// Reads ``stateText``.
    init?(stateText text: String) {
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
    var stateText: String {
        switch self {
        case .environment(let name): "env:" + name
        case .file(let path): "file:" + path
        case .manifest(let file, let path): "manifest:" + path + ":" + file
        }
    }

    /// Reads ``stateText``.
    init?(stateText text: String) {
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

/// Several texts in one column, a line each.
enum TextList {
    /// Joins texts, line breaks inside one escaped; no texts at all give an empty column.
    static func joined(_ texts: some Sequence<String>) -> String {
        var bytes: [UInt8] = []
        for text in texts {
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "\\"): bytes += [byte, byte]
                case UInt8(ascii: "\n"): bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
                default: bytes.append(byte)
                }
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads what ``joined(_:)`` wrote, each text turned into a value; `nil` when one cannot be.
    ///
    /// Works on the bytes: a state of 100 000 products holds half a million of these texts.
    static func split<Value>(_ column: String, _ value: (String) -> Value?) -> [Value]? {
        var column = column
        return column.withUTF8 { bytes in
            var values: [Value] = []
            var start = 0
            var isEscaped = false
            for (index, byte) in bytes.enumerated() {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                guard byte == UInt8(ascii: "\n") else { continue }
                let line = UnsafeBufferPointer(rebasing: bytes[start..<index])
                guard let value = value(isEscaped ? unescaped(line) : String(decoding: line, as: UTF8.self)) else {
                    return nil
                }
                values.append(value)
                start = index + 1
                isEscaped = false
            }
            return start == bytes.count ? values : nil
        }
    }

    private static func unescaped(_ line: UnsafeBufferPointer<UInt8>) -> String {
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in line {
            if isEscaped {
                bytes.append(byte == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
