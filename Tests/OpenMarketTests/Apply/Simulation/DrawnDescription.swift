@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport

/// A description of a market, drawn at random or by hand, as a document that the loader reads.
struct DrawnDescription: Sendable, CustomStringConvertible {
    enum IDs: CaseIterable {
        case rising, shuffled, texts, chosen
    }

    enum Style: String, CaseIterable {
        case parts, base64, url, upload, attach, none
    }

    /// For how many hours the market knows a repeat key; `nil` where it takes none.
    var repeatHours: Int?
    var replaysErrors = false
    /// Whether two products can have the same key; `nil` where they carry none.
    var uniqueness: MarketCapabilities.KeyUse.Uniqueness?
    /// Whether a product can be given another key.
    var changesKeys = false
    var ids = IDs.rising
    var style = Style.parts
    var changesPicturesInPlace = true
    var holdsOnePicture = false
    var keepsBytes = true
    /// Whether a change names the pictures that stay, and does not send them again.
    var keepsIDs = false
    /// Whether products show whose they are; otherwise there is one seller.
    var showsOwner = true
    var deletesInTwoSteps = false
    var provesByDeleteKey = false
    var fields: Set<ProductField> = [.description, .salePrice, .stock, .currency]
    /// Texts that the market shows otherwise than it was sent.
    var normalised: Set<ProductField> = []
    var saleMeaning = "sale_price"
    var saleEnding = "null"
    /// Fields that only details show.
    var omits: Set<ProductField> = [.images]
    var readAfterWrite = 0
    /// The currency of a market that has no place for one.
    var currency = Currency.krw
    /// Whether an empty description is sent and shown as `null`.
    var unsetsDescription = false

    init() {}

    init(_ dice: inout SeededGenerator) {
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &dice) < percent }
        if chance(40) { repeatHours = [1, 24].randomElement(using: &dice) ?? 1 }
        replaysErrors = chance(50)
        uniqueness = [.enforced, .enforced, .racy, .unenforced, nil].randomElement(using: &dice) ?? nil
        ids = IDs.allCases.randomElement(using: &dice) ?? .rising
        if ids == .chosen { uniqueness = nil }
        changesKeys = uniqueness != nil && chance(50)
        style = [.parts, .parts, .base64, .url, .upload, .attach, .none].randomElement(using: &dice) ?? .parts
        holdsOnePicture = style != .parts && chance(25)
        // A picture that was attached is taken away by nothing but a new product.
        changesPicturesInPlace = chance(65) && (style != .attach || holdsOnePicture)
        keepsBytes = chance(50)
        keepsIDs = chance(50)
        showsOwner = chance(50)
        deletesInTwoSteps = chance(25)
        provesByDeleteKey = deletesInTwoSteps && chance(50)
        fields = fields.filter { _ in chance(85) }
        // A name that comes back otherwise is recognised by its key alone.
        if isKeyed, chance(20) { normalised.insert(.name) }
        if fields.contains(.description), chance(25) { normalised.insert(.description) }
        saleMeaning = ["sale_price", "amount_off", "compare_at"].randomElement(using: &dice) ?? saleMeaning
        saleEnding = saleMeaning == "sale_price" && chance(30) ? "price" : saleMeaning == "amount_off" ? "0" : "null"
        if fields.contains(.description), chance(30) { omits.insert(.description) }
        if style == .none { omits.remove(.images) }
        readAfterWrite = chance(20) ? 2 : 0
        if chance(40) { currency = .usd }
        unsetsDescription = fields.contains(.description) && chance(40)
    }

    /// Whether a product says which listing it is.
    var isKeyed: Bool { uniqueness != nil || ids == .chosen }

    var document: String {
        var identity = ["id: {at: /id, as: \(ids == .texts || ids == .chosen ? "text" : "integer")"]
        if ids == .rising { identity[0] += ", order: rising" }
        if ids == .chosen { identity[0] += ", chosen_by: us" }
        identity[0] += "}"
        if let uniqueness {
            let said = changesKeys ? ", for: [create, update]" : ""
            identity.append("key: {at: /sku, unique: \(uniqueness), find: {query: {sku: \"{key}\"}}\(said)}")
        }
        if let repeatHours {
            let replays = replaysErrors ? "errors" : "successes"
            identity.append("repeat: {header: Once, hours: \(repeatHours), replays: \(replays), for: [create]}")
        }
        if showsOwner {
            identity.append("owner: {read: /seller, as: integer}")
            identity.append("proof: \(provesByDeleteKey ? "delete_key" : "update_nothing")")
        }
        if readAfterWrite > 0 { identity.append("read_after_write: \(readAfterWrite)") }

        func echo(_ field: ProductField) -> String { normalised.contains(field) ? ", echo: normalised" : "" }
        var shown = ["name: {at: /name\(echo(.name))}"]
        if fields.contains(.description) {
            shown.append("description: {at: /text\(unsetsDescription ? ", unset: null" : "")\(echo(.description))}")
        }
        shown.append("price: {at: /price, as: number}")
        shown.append(fields.contains(.currency) ? "currency: {at: /currency}" : "currency: {fixed: \(currency)}")
        if fields.contains(.salePrice) {
            shown.append("sale: {at: /sale, as: number, means: \(saleMeaning), none: \(saleEnding)}")
        }
        if fields.contains(.stock) { shown.append("stock: {at: /stock}") }

        let create = ids == .chosen ? "method: PUT, path: \"/products/{id}\"" : "method: POST, path: /products"
        let body = style == .parts ? "{parts: product}" : "json"
        var operations = [
            "detail: {path: \"/products/{id}\"}", "create: {\(create), body: \(body)}",
            "update: {method: PATCH, path: \"/products/{id}\", body: \(body)}",
        ]
        if deletesInTwoSteps {
            operations.append("delete_key: {method: POST, path: \"/products/{id}/key\", answer: key}")
            operations.append("delete: {method: DELETE, path: \"/products/{delete_key}\"}")
        } else {
            operations.append("delete: {method: DELETE, path: \"/products/{id}\"}")
        }
        let taken = "- {for: [create, update], at: /code, is: taken, means: duplicate}\n    "
        let hidden = omits.isEmpty ? "" : ", omits: [\(omits.map(\.rawValue).sorted().joined(separator: ", "))]"
        return """
            market: 1
            name: drawn
            identity:
              \(identity.joined(separator: "\n  "))
            fields:
              \(shown.joined(separator: "\n  "))
            pictures:
              \(pictures.joined(separator: "\n  "))
            list: {path: /products, page: {by: none}, rows: "", complete: whole\(hidden)}
            operations:
              \(operations.joined(separator: "\n  "))
            errors:
              message: /error
              rules:
                \(isKeyed ? taken : "")- {for: [create], at: /code, is: busy, means: retry}
            limits: {required: [name, price]}

            """
    }

    private var pictures: [String] {
        let one = holdsOnePicture ? ", one: true" : ""
        var lines = ["style: \(style)", "read: {at: /pictures, id: /id, url: /url\(one)}"]
        if style == .none { return lines }
        lines.append("bytes: \(keepsBytes ? "kept" : "changed")")
        lines.append("change: \(changesPicturesInPlace ? "in_place" : "replace")")
        switch style {
        case .parts: lines.append("part: files")
        case .attach: lines.append("attach: {path: \"/products/{id}/pictures\", body: raw}")
        case .upload: lines.append("upload: {path: /uploads, body: raw, answer: /ref, hours: 1}")
        case .base64, .url, .none: break
        }
        let kept = keepsIDs && !holdsOnePicture ? ", new: /src, kept: /id" : ""
        if style != .parts, style != .attach { lines.append("write: {at: /pictures\(one)\(kept)}") }
        return lines
    }

    /// The market, as the program reads the document.
    func profile() throws -> MarketProfile { try MarketProfile(document: Array(document.utf8)) }

    var description: String { document }
}
