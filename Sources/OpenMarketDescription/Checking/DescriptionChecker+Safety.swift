import OpenMarket

/// Rules that prevent another author's file from sending a request, or a credential, to an unintended location.
extension DescriptionChecker {
    // MARK: Paths

    mutating func checkAddresses() {
        for use in uses.paths {
            if let fault = Self.fault(inPath: use.value) { report(use.path, fault.message, help: fault.help) }
        }
    }

    /// The fault of a path; `nil` if it has none.
    static func fault(inPath path: Template) -> (message: String, help: String?)? {
        let text = path.description
        if text.contains("//") { return ("a path holds no '//'", "some servers take the rest for a host") }
        for segment in text.split(separator: "/") {
            let (bytes, isWellFormed) = segment.percentDecodedBytes
            guard isWellFormed else {
                return ("'%' and two hexadecimal digits are needed to encode a byte", "write '%25' for '%'")
            }
            if [".", ".."].contains(String(decoding: bytes, as: UTF8.self)) {
                return ("a path holds no segment '\(segment)'", "write the path as it is meant")
            }
            // A server may decode these bytes before it splits the path.
            for byte in bytes where segment.contains("%") {
                if byte < 0x20 || byte == 0x7F
                    || [UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "#"), UInt8(ascii: "?")].contains(byte)
                {
                    return ("the encoded character in '\(segment.masked.prefix(40))' may lead elsewhere", nil)
                }
            }
        }
        return nil
    }

    // MARK: Names

    mutating func checkNames() {
        for use in uses.headers {
            if let reason = Self.reason(against: use.value, isAuth: use.path.hasPrefix("auth[")) {
                report(use.path, "the header '\(use.value)' cannot be set: \(reason)")
            } else if use.value.lowercased().hasPrefix("if-"),
                !use.path.hasPrefix("operations.") || use.path.hasPrefix("operations.detail")
            {
                report(use.path, "the header '\(use.value)' cannot be set: reads are unconditional")
            }
        }
        for use in uses.queries where MethodOverride.isQuery(use.value) {
            report(use.path, "the query '\(use.value)' cannot be set: some servers take it for the method, and delete")
        }
        for endpoint in market.endpoints where !endpoint.hasMarketQuery && endpoint.operation != .find {
            let headers = endpoint.headers.map(\.name) + [endpoint.repeatHeader].compactMap(\.self)
            let operation = endpoint.operation.rawValue
            let path = operation == "list" ? "list.headers" : "operations.\(operation).headers"
            for name in Self.repeated((headers + endpoint.credentials.compactMap(\.header)).map { $0.lowercased() }) {
                report(path, "the header '\(name)' of '\(operation)' is set twice")
            }
        }
        for (path, names) in sentQueries {
            for name in Self.repeated(names) { report(path, "the query '\(name)' is set twice") }
        }
    }

    /// Why a header cannot be set; `nil` if it can.
    private static func reason(against header: String, isAuth: Bool) -> String? {
        let name = header.lowercased()
        if name == "authorization" { return isAuth ? nil : "only 'auth' sets it" }
        if name == "cookie" || name == "set-cookie" { return "sessions are not supported" }
        if name.contains("method") { return "some servers take it for the method, and delete" }
        if name == "host" || name == "forwarded" || name.hasPrefix("x-forwarded-") || name.hasPrefix("proxy-")
            || name == "x-original-url" || name == "x-rewrite-url"
        {
            return "a description does not set the connection to the market"
        }
        let transport: Set = [
            "transfer-encoding", "connection", "keep-alive", "te", "trailer", "upgrade", "expect", "range",
            "accept-encoding",
        ]
        if transport.contains(name) || name.hasPrefix("content-") { return "it belongs to the transport" }
        return nil
    }

    private var sentQueries: [(String, [String])] {
        let page = market.list.page
        let listed =
            market.list.query.map(\.name) + page.query.map(\.name)
            + [page.parameter, page.size.parameter].compactMap(\.self)
        var sent = [("list.page", listed)]
        // Products with a key are pages of the list, which also have the list's queries.
        if let find = market.identity.key?.find, find.path == nil {
            sent.append(("identity.key.find.query", Array(Set(listed)) + find.query.map(\.name)))
        }
        return sent
    }

    // MARK: Credentials

    mutating func checkAuth() {
        let operations = MarketDescription.Operation.allCases.filter(market.describes)
        for (index, credential) in market.auth.enumerated() {
            let path = "auth[\(index)]"
            if case .operations(let named) = credential.audience {
                for operation in named where !operations.contains(operation) {
                    report(path, "'\(operation.rawValue)' is not described")
                }
            }
            switch credential {
            case .basic(let basic):
                if basic.user?.isSlot != true, basic.password?.isSlot != true {
                    report(path, "neither half is a credential of the manifest", help: "write 'identifier' or 'secret'")
                }
            case .field(let field):
                if field.place == .whole {
                    report(path, "a credential needs a place in the body", help: "write 'at: /secret'")
                }
                if field.perProduct != nil, field.slot != .secret {
                    report(
                        path,
                        "products have secrets of their own, and no identifiers",
                        help: "write 'value: secret'"
                    )
                }
                if let read = operations.first(where: { $0.isRead && credential.audience.includes($0) }) {
                    report(
                        path,
                        "'\(read.rawValue)' is a GET, so a credential cannot be in its body",
                        help: "write 'for: writes', or another way to send it"
                    )
                }
                for endpoint in market.endpoints
                where !endpoint.operation.isRead && credential.audience.includes(endpoint.operation) {
                    guard endpoint.body == nil || endpoint.body?.form == .raw else { continue }
                    report(
                        path,
                        "'\(endpoint.operation.rawValue)' lacks a body for a credential",
                        help: "write 'for:' with the operations that have one, or another way to send it"
                    )
                }
            case .header: break
            }
        }
        for slot in market.identity.scope where !market.auth.contains(where: { $0.slots.contains(slot) }) {
            report("identity.scope", "the \(slot.rawValue) is not sent to this market, so it cannot distinguish states")
        }
    }
}

extension MarketDescription.Credential {
    /// The header that carries it; `nil` if the body does.
    fileprivate var header: String? {
        switch self {
        case .basic: "Authorization"
        case .header(let header): header.name
        case .field: nil
        }
    }
}

extension MarketDescription.Credential.Half {
    fileprivate var isSlot: Bool { if case .slot = self { true } else { false } }
}
