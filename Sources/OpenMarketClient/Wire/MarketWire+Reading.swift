import NIOCore
import OpenMarket
import OpenMarketDescription

extension MarketWire {
    /// The members of the product at a position in a reply that the description does not name.
    ///
    /// `nil` for a market whose updates preserve them.
    func unnamedMembers(of product: JSONPointer, in body: ByteBuffer) -> Set<String>? {
        guard keepsMembers, let json = try? JSONValue.parse(Array(body.readableBytesView)) else { return nil }
        return value(product, in: json).map { census.unnamed(in: $0) }
    }

    /// The request for a page of the products with a key, or of all products without a key.
    ///
    /// Throws ``MarketError`` for an address that must not be requested.
    func target(of page: PageAddress, key: String?) throws(MarketError) -> String {
        guard let key else { return try target(of: page) }
        guard let find = market.identity.key?.find else {
            throw MarketError(.refused, "\(name) lacks a request for the products of a key")
        }
        func filled(_ placeholder: Placeholder) -> String? {
            placeholder == .key ? key : parameters.value(of: placeholder)
        }
        guard find.path == nil else { return try target(.find, filled) }
        // An address from a page is used unchanged.
        if case .next(.some, _) = page { return try target(of: page) }
        var target = try target(of: page)
        for query in find.query {
            for template in query.value {
                target += target.contains("?") ? "&" : "?"
                target += "\(query.name.percentEncoded)=\(try text(template, .query, filled))"
            }
        }
        return target
    }

    /// The request for a page.
    ///
    /// Throws ``MarketError`` for an address that must not be requested.
    func target(of page: PageAddress) throws(MarketError) -> String {
        let list = market.list.page
        var size: Int?
        // The placeholder for the page, and its value.
        var place: (Placeholder, String?)?
        switch page {
        case .number(let number, let rows):
            size = rows
            switch list.style {
            case .offset: place = (.offset, String((number - 1) * rows + list.first))
            case .number: place = (.page, String(number - 1 + list.first))
            case .keyset, .cursor, .next, .whole: break
            }
        case .after(let last, let rows): (size, place) = (rows, (.last, last))
        case .cursor(let cursor, let rows): (size, place) = (rows, (.cursor, cursor))
        case .next(let address?, _):
            // A kept page may also contain the address, so it is checked before it is sent.
            let text = base.dropFirst(MarketURL.origin(of: base).count) + address
            guard case .at(let checked) = nextAddress.checked(String(text), ignoresHost: false) else {
                throw MarketError(.refused, "the next page's address is not one of the market's list")
            }
            return checked
        case .next(nil, let rows): size = rows
        case .whole: break
        }
        let isFirst = place.map { $0.1 == nil } ?? false
        return try target(.list) { placeholder in
            if placeholder == .size { return size.map { String($0) } }
            return placeholder == place?.0 ? place?.1 : nil
        } leavingOut: { template in
            isFirst && (template.names(.last) || template.names(.cursor))
        }
    }

    func firstPage(size: Int?) -> PageAddress {
        .first(market.list.page.style, size: pageSize(size))
    }

    /// Whether pages contain the next page's address or token, which may be as powerful as a credential.
    var pagesAreLinked: Bool {
        [.cursor, .next].contains(market.list.page.style)
    }

    /// Whether a first page has one of the members that identify the market.
    ///
    /// The comparison is exact even if names are loose: some markets differ only in their spelling.
    func isRecognised(_ page: JSONValue) -> Bool {
        market.list.recognisedBy.isEmpty
            || market.list.recognisedBy.contains { value($0, in: page, isExact: true) != nil }
    }

    var unrecognised: MarketError {
        MarketError(.unreadable, "the server at this URL does not show products as '\(name)' describes")
    }

    /// The number of rows per page for a wanted size: the market's own size if it cannot be chosen.
    func pageSize(_ wanted: Int?) -> Int {
        let size = market.list.page.size
        let standard = size.standard ?? size.most ?? 100
        guard market.list.page.canChangeSize else { return standard }
        return max(1, min(wanted ?? standard, size.most ?? .max))
    }

    func detailTarget(_ id: MarketID) throws(MarketError) -> String {
        try target(.detail) { $0 == .id ? id.description : nil }
    }

    /// The part of a product's address before its id; `nil` if something follows the id.
    var productPath: String? { market.productPath(parameters) }

    func target(
        _ operation: MarketDescription.Operation,
        _ value: (Placeholder) -> String? = { _ in nil },
        leavingOut isLeftOut: (Template) -> Bool = { _ in false }
    ) throws(MarketError) -> String {
        guard let endpoint = endpoint(operation) else {
            throw MarketError(.refused, "\(name) lacks a request for '\(operation.rawValue)'")
        }
        func filled(_ placeholder: Placeholder) -> String? { value(placeholder) ?? parameters.value(of: placeholder) }
        var target = try text(endpoint.path, .path, filled)
        var separator = "?"
        for query in endpoint.query {
            for template in query.value where !isLeftOut(template) {
                target += "\(separator)\(query.name.percentEncoded)=\(try text(template, .query, filled))"
                separator = "&"
            }
        }
        return target
    }

    /// A filled template.
    ///
    /// Throws ``MarketError`` if a value is missing or leads to another location.
    func text(
        _ template: Template,
        _ place: Template.Place,
        _ value: (Placeholder) -> String?
    ) throws(MarketError) -> String {
        if let text = template.filled(for: place, value) { return text }
        let missing = template.placeholders.first { value($0) == nil }
        let reason =
            switch missing {
            case .key?, .id?: "it needs the product's key, and the manifest does not let keys be sent"
            case let other?: "'\(other.name)' is not set"
            case nil: "a value of it is empty, or leads elsewhere"
            }
        throw MarketError(.refused, "the request '\(template)' of \(name) cannot be built: \(reason)")
    }
}
