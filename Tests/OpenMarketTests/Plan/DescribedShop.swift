@testable import OpenMarket
@testable import OpenMarketDescription

/// A described market whose parts can be replaced, for plans on markets that can do less than the built-in ones.
struct DescribedShop {
    /// The parts of the description by their sections, so that a test replaces one and leaves the others.
    var identity = "id: {at: /id, as: integer, order: rising}"
    var fields = [
        "name": "{at: /name}", "description": "{at: /text}", "price": "{at: /price, as: decimal_text}",
        "currency": "{at: /currency}", "sale": "{at: /sale, as: decimal_text, means: sale_price, none: null}",
        "stock": "{at: /stock}",
    ]
    var pictures: String? = """
        {style: parts, part: images, read: {at: /images, id: /id, url: /url}, change: in_place, bytes: kept}
        """
    var complete = "twice"
    var operations = [
        "create": "{method: POST, path: /items, body: {parts: params}}",
        "update": "{method: PATCH, path: \"/items/{id}\", body: {parts: params}}",
        "delete": "{method: DELETE, path: \"/items/{id}\"}",
    ]
    var limits: String?
    var parameters: [String: String] = [:]

    /// The description as a file.
    var text: String {
        func lines(_ section: [String: String]) -> String {
            section.sorted { $0.key < $1.key }.map { "  \($0.key): \($0.value)\n" }.joined()
        }
        let declared = parameters.keys.sorted().map { "\($0): {as: code}" }.joined(separator: ", ")
        return """
            market: 1
            name: tickets
            \(declared.isEmpty ? "" : "parameters: {\(declared)}")
            identity:
              \(identity)
            fields:
            \(lines(fields))
            \(pictures.map { "pictures: \($0)" } ?? "")
            list:
              path: /items
              page: {by: number, param: page}
              rows: /items
              total: {at: /count}
              past_end: [empty]
              order: {by: [/id], direction: falling, moves: never}
              complete: \(complete)
            operations:
              detail: {path: "/items/{id}"}
            \(lines(operations))
            \(limits.map { "limits: \($0)" } ?? "")
            """
    }

    func profile() throws -> MarketProfile {
        try MarketProfile(document: Array(text.utf8), parameters: parameters)
    }
}
