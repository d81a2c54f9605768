import FoundationEssentials
import OpenMarket
import OpenMarketDescription

extension MarketWire {
    /// The headers of an operation's requests, in the order of the description: constants, then credentials.
    ///
    /// Throws ``MarketError`` with the code `credentials` if one is missing.
    func headers(
        of operation: MarketDescription.Operation,
        _ credentials: Credentials
    ) throws(MarketError) -> [RequestDescription.Header] {
        guard let endpoint = endpoint(operation) else { return [] }
        var headers: [RequestDescription.Header] = []
        for header in endpoint.headers {
            let value = try text(header.value, .verbatim, parameters.value(of:))
            guard Self.isHeaderValue(value) else {
                throw MarketError(
                    .refused,
                    "the header '\(header.name)' of \(name) has characters that no header can carry"
                )
            }
            headers.append(RequestDescription.Header(name: header.name, value: .text(value)))
        }
        for credential in endpoint.credentials {
            if let header = try Self.header(credential, credentials) { headers.append(header) }
        }
        return headers
    }

    func sendsCredentials(_ operation: MarketDescription.Operation) -> Bool {
        endpoint(operation)?.credentials.isEmpty == false
    }

    /// The derived forms of credentials in requests, for masks.
    func derivedSecrets(_ credentials: Credentials) -> [String] {
        market.auth.compactMap { credential in
            guard case .basic(let basic) = credential else { return nil }
            return try? Self.basic(basic, credentials)
        }
    }

    private static func header(
        _ credential: MarketDescription.Credential,
        _ credentials: Credentials
    ) throws(MarketError) -> RequestDescription.Header? {
        switch credential {
        case .basic(let basic):
            let value = "Basic " + (try Self.basic(basic, credentials))
            return RequestDescription.Header(name: "Authorization", value: .secret(Secret(value)))
        case .header(let header):
            let secret = try Self.secret(header.slot, credentials).revealed
            guard secret.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !secret.isEmpty else {
                let slot = header.slot.rawValue
                throw MarketError(.credentials, "the market's \(slot) has characters that no header can carry")
            }
            let value = Secret((header.prefix ?? "") + secret)
            return RequestDescription.Header(name: header.name, value: .secret(value))
        case .field: return nil
        }
    }

    /// User and password for Basic authentication (RFC 7617).
    private static func basic(
        _ basic: MarketDescription.Credential.Basic,
        _ credentials: Credentials
    ) throws(MarketError) -> String {
        func half(_ half: MarketDescription.Credential.Half?) throws(MarketError) -> String {
            switch half {
            case .slot(let slot)?: try secret(slot, credentials).revealed
            case .constant(let text)?: text
            case nil: ""
            }
        }
        let user = try half(basic.user)
        let password = try half(basic.password)
        guard !user.contains(":"), (user + password).utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw MarketError(
                .credentials,
                "the market's credentials have characters that Basic authentication cannot carry"
            )
        }
        return Data((user + ":" + password).utf8).base64EncodedString()
    }

    static func secret(
        _ slot: MarketDescription.Credential.Slot,
        _ credentials: Credentials
    ) throws(MarketError) -> Secret {
        let secret = slot == .identifier ? credentials.identifier : credentials.secret
        guard let secret else { throw MarketError(.credentials, "the market's \(slot.rawValue) is not set") }
        return secret
    }

    private static func isHeaderValue(_ value: String) -> Bool { value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }
}
