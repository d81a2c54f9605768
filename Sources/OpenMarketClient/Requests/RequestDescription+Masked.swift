package import OpenMarket

extension RequestDescription {
    /// The request as lines for people, with every secret as `•••`: for dry runs.
    ///
    /// ```
    /// POST /api/products
    /// identifier: •••
    /// Content-Type: multipart/form-data
    ///   params: {"name":"Desk lamp","price":35000,"secret":"•••"}
    ///   images: lamp-front.jpg, image/jpeg, 84213 bytes, sha256 0123456789ab…
    /// ```
    ///
    /// Values are unescaped, as they are sent; the caller has to escape control characters.
    package var maskedLines: [String] {
        var lines = ["\(method.rawValue) \(path)"]
        lines += headers.map { "\($0.name): \($0.value.masked)" }
        switch body {
        case .none: break
        case .json(let value, let type):
            lines.append("Content-Type: \(type)")
            lines.append("  " + value.maskedText)
        case .form(let fields):
            lines.append("Content-Type: application/x-www-form-urlencoded")
            lines += fields.map { "  \($0.name): \($0.value.masked)" }
        case .multipart(let parts):
            lines.append("Content-Type: multipart/form-data")
            lines += parts.map { "  " + $0.maskedLine }
        case .picture(let picture):
            lines.append("Content-Type: \(picture.format.mediaType)")
            lines.append("  " + picture.words)
        }
        return lines
    }

    /// The request as JSON for programs, with every secret as `•••`: for dry runs.
    package var maskedJSON: JSONValue {
        var members: [JSONValue.Member] = [
            JSONValue.Member("method", .string(method.rawValue)),
            JSONValue.Member("path", .string(path)),
            JSONValue.Member("headers", .object(headers.map { JSONValue.Member($0.name, .string($0.value.masked)) })),
        ]
        switch body {
        case .none: break
        case .json(let value, _): members.append(JSONValue.Member("json", value.shown))
        case .form(let fields): members.append(JSONValue.Member("form", WireField.Value.object(fields).shown))
        case .multipart(let parts):
            members.append(JSONValue.Member("parts", .array(parts.map(\.maskedJSON))))
        case .picture(let picture): members.append(JSONValue.Member("picture", .object(picture.members)))
        }
        return .object(members)
    }
}

extension WireField.Value {
    fileprivate var maskedText: String { String(decoding: shown.bytes(), as: UTF8.self) }
}

extension RequestDescription.Part {
    fileprivate var maskedLine: String {
        switch self {
        case .field(let field): "\(field.name): \(field.value.masked)"
        case .json(let name, let value): "\(name): " + value.maskedText
        case .picture(let name, let picture): "\(name): \(picture.words)"
        }
    }

    fileprivate var maskedJSON: JSONValue {
        switch self {
        case .field(let field):
            .object([
                JSONValue.Member("name", .string(field.name)), JSONValue.Member("value", .string(field.value.masked)),
            ])
        case .json(let name, let value):
            .object([JSONValue.Member("name", .string(name)), JSONValue.Member("json", value.shown)])
        case .picture(let name, let picture):
            .object([JSONValue.Member("name", .string(name))] + picture.members)
        }
    }
}

extension Picture {
    /// The contents of the body, for dry runs in JSON.
    fileprivate var members: [JSONValue.Member] {
        [
            JSONValue.Member("filename", .string(uploadName)),
            JSONValue.Member("content_type", .string(format.mediaType)),
            JSONValue.Member("bytes", .number(ExactDecimal(Int64(byteCount)))),
            JSONValue.Member("sha256", .string(digest.hexadecimal)),
        ]
    }
}
