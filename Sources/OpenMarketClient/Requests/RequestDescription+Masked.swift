public import OpenMarket

extension RequestDescription {
    /// The request as lines for people, every secret as `•••`: for dry runs.
    ///
    /// ```
    /// POST /api/products
    /// identifier: •••
    /// Content-Type: multipart/form-data
    ///   params: {"name":"Desk lamp","price":35000,"secret":"•••"}
    ///   images: lamp-front.jpg, image/jpeg, 84213 bytes, sha256 0123456789ab…
    /// ```
    ///
    /// Values are as they are sent; control characters are the caller's to escape.
    public var maskedLines: [String] {
        var lines = ["\(method.rawValue) \(path)"]
        lines += headers.map { "\($0.name): \($0.value.masked)" }
        switch body {
        case .none: break
        case .json(let fields):
            lines.append("Content-Type: application/json")
            lines.append("  " + String(decoding: WireField.json(fields, masked: true), as: UTF8.self))
        case .multipart(let parts):
            lines.append("Content-Type: multipart/form-data")
            lines += parts.map { "  " + $0.maskedLine }
        }
        return lines
    }

    /// The request as data, every secret as `•••`: for dry runs that programs read.
    public var maskedJSON: JSONValue {
        var members: [JSONValue.Member] = [
            JSONValue.Member("method", .string(method.rawValue)),
            JSONValue.Member("path", .string(path)),
            JSONValue.Member("headers", .object(headers.map { JSONValue.Member($0.name, .string($0.value.masked)) })),
        ]
        switch body {
        case .none: break
        case .json(let fields): members.append(JSONValue.Member("json", fields.maskedJSON))
        case .multipart(let parts):
            members.append(JSONValue.Member("parts", .array(parts.map(\.maskedJSON))))
        }
        return .object(members)
    }
}

extension RequestDescription.Part {
    fileprivate var maskedLine: String {
        switch self {
        case .field(let field): "\(field.name): \(field.value.masked)"
        case .json(let name, let fields):
            "\(name): " + String(decoding: WireField.json(fields, masked: true), as: UTF8.self)
        case .picture(let name, let picture):
            "\(name): \(picture.uploadName), \(picture.format.mediaType), \(picture.byteCount) bytes, "
                + "sha256 \(picture.digest.abbreviated)…"
        }
    }

    fileprivate var maskedJSON: JSONValue {
        switch self {
        case .field(let field):
            .object([
                JSONValue.Member("name", .string(field.name)), JSONValue.Member("value", .string(field.value.masked)),
            ])
        case .json(let name, let fields):
            .object([JSONValue.Member("name", .string(name)), JSONValue.Member("json", fields.maskedJSON)])
        case .picture(let name, let picture):
            .object([
                JSONValue.Member("name", .string(name)),
                JSONValue.Member("filename", .string(picture.uploadName)),
                JSONValue.Member("content_type", .string(picture.format.mediaType)),
                JSONValue.Member("bytes", .number(ExactDecimal(Int64(picture.byteCount)))),
                JSONValue.Member("sha256", .string(picture.digest.hexadecimal)),
            ])
        }
    }
}

extension [WireField] {
    fileprivate var maskedJSON: JSONValue {
        .object(
            map { field in
                let value: JSONValue =
                    switch field.value {
                    case .text(let text): .string(text)
                    case .number(let number): .number(number)
                    case .integer(let integer): .number(ExactDecimal(integer))
                    case .secret(let secret): .string(secret.description)
                    }
                return JSONValue.Member(field.name, value)
            }
        )
    }
}
