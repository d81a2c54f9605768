@testable import OpenMarket
@testable import OpenMarketTestSupport

/// How a drawn market is spoken with: bodies, methods, places and spellings, apart from what it promises.
struct DrawnWire: Sendable {
    enum Body: CaseIterable { case json, form, parts, jsonPart }
    enum Sending: String, CaseIterable { case changed, whole, merged }

    var body = Body.json
    var sending = Sending.changed
    /// The kinds of the numbers of money.
    var price = "number"
    var sale = "number"
    var currency = Currency.krw
    /// Texts that are maps of languages.
    var maps: Set<ProductField> = []
    /// Numbers that are in an element of an array.
    var shelved: Set<ProductField> = []
    /// Whether a stock has a companion.
    var countsStock = false
    /// Whether a change has to name the version that it was made of.
    var hasVersions = false
    /// Whether products are inside of a member of bodies and answers.
    var isWrapped = false
    /// Whether every create says a constant.
    var hasConstants = false
    /// Whether an empty description is sent as `null`.
    var unsetsDescription = false

    init() {}

    init(_ dice: inout SeededGenerator, style: DrawnDescription.Style, _ fields: Set<ProductField>) {
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &dice) < percent }
        let kinds = ["number", "decimal_text", "minor_units"]
        body = Body.allCases.randomElement(using: &dice) ?? .json
        if style == .parts { body = body == .form ? .parts : body == .json ? .jsonPart : body }
        price = kinds.randomElement(using: &dice) ?? price
        sale = kinds.randomElement(using: &dice) ?? sale
        currency = chance(40) ? .usd : .krw
        countsStock = chance(40)
        hasConstants = chance(40)
        guard isTree else { return }
        sending = [.changed, .changed, .whole, .merged].randomElement(using: &dice) ?? .changed
        maps = Set([ProductField.name, .description].filter { fields.union([.name]).contains($0) && chance(30) })
        if chance(30) {
            shelved = Set([ProductField.price, .stock].filter { fields.union([.price]).contains($0) && chance(70) })
        }
        hasVersions = chance(25)
        isWrapped = chance(30)
        unsetsDescription = fields.contains(.description) && !maps.contains(.description) && chance(40)
    }

    /// Whether bodies are trees: a form has neither `null` nor arrays.
    var isTree: Bool { body == .json || body == .jsonPart }

    // MARK: In a description

    /// `body:` and what is beside it.
    private var bodyWords: String {
        let inside = isWrapped ? ", inside: /data" : ""
        return switch body {
        case .json: "body: {as: json\(inside)}"
        case .form: "body: {as: form}"
        case .parts: "body: {as: parts}"
        case .jsonPart: "body: {parts: product\(inside)}"
        }
    }

    var productWords: String { isWrapped ? ", product: /data" : "" }

    var createWords: String { bodyWords + productWords + (hasConstants ? ", with: {/kind: lamp}" : "") }

    var updateWords: String {
        let method = sending == .changed ? "PATCH" : "PUT"
        let keep = hasVersions ? ", keep: [/version]" : ""
        return
            "method: \(method), path: \"/products/{id}\", send: \(sending.rawValue), \(bodyWords)\(productWords)\(keep)"
    }

    func text(_ field: ProductField, at name: String) -> String {
        maps.contains(field) ? "at: /\(name), as: language_map, language: ko" : "at: /\(name)"
    }

    func number(_ field: ProductField, at name: String) -> String {
        guard shelved.contains(field) else {
            return "at: /\(name)" + (field == .stock && countsStock ? ", with: {/counted: true}" : "")
        }
        return "at: /shelves, item: {where: /shelf, is: s-1, value: /\(name), with: {/own: true}}"
    }

    /// What ends a sale, as this market spells it.
    func ending(_ ending: String) -> String {
        switch ending {
        case "null" where !isTree: "\"\""
        case "0" where sale == "decimal_text": "\"0\""
        default: ending
        }
    }
}
