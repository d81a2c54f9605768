@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
@testable import OpenMarketClient

/// A description that a seed makes, of all that the language can say of writing, and the market that it describes.
struct RandomDescription {
    /// How bodies are made.
    enum Body: CaseIterable { case json, form, parts, jsonPart }

    let document: String
    let form: StoringMarket.Form
    let parameters = ["language": "ko", "shelf": "s-1", "currency": "USD", "channel": "7"]
    let style: MarketDescription.Pictures.Style
    let hasFixedCurrency: Bool
    let carriesKeys: Bool
    /// Whether prices are whole numbers.
    let hasWholePrices: Bool
    let endsWithPrice: Bool
    let holdsOnePicture: Bool
    let clearsPictures: Bool
    /// Whether a stock has a companion.
    let countsStock: Bool
    /// Whether a change says again what others wrote.
    let sendsAllBack: Bool
    /// Where there is more in the market than we say: a map of languages, or an array.
    var maps: [[String]] = []
    var arrays: [[String]] = []

    init(_ random: inout SeededGenerator) {
        func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
        func one<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }

        let body = one(Body.allCases)
        let isTree = body == .json || body == .jsonPart
        var form = StoringMarket.Form()
        form.hasTextIDs = chance(40)
        form.answersIDs = chance(30)
        form.wrapping = chance(40) ? one([["data"], ["data", "product"]]) : []
        form.hasVersions = isTree && chance(30)
        let sends = isTree ? one(["changed", "changed", "changed", "whole", "merged"]) : "changed"
        let method = sends == "changed" ? "PATCH" : "PUT"
        let isChange = sends == "changed"

        /// Where a field is: at the top, inside of something, in an element.
        func place(_ name: String) -> String {
            let prefixes =
                isTree ? ["", "", "/attributes", "/{channel}/deep", "/variants/0"] : ["", "", "/attributes"]
            return "\"" + one(prefixes) + "/" + name + "\""
        }
        var maps: [[String]] = []
        var arrays: [[String]] = []
        func text(_ name: String, _ more: String = "") -> String {
            guard isTree, chance(35) else { return "{at: \(place(name))\(more)}" }
            maps.append([name])
            return "{at: /\(name), as: language_map, language: \"{language}\"}"
        }
        let kinds = ["number", "whole", "decimal_text", "minor_units"]
        let priceKind = one(kinds)
        let means = one(["sale_price", "amount_off", "compare_at"])
        let saleKind = one(kinds)
        let endsWithPrice = means == "sale_price" && chance(25)
        let isText = saleKind == "decimal_text"
        let ending: String =
            if endsWithPrice { "price" } else if means == "amount_off" { isText ? "\"0\"" : "0" } else if !isTree {
                "\"\""
            } else { one(["null", "\"\"", "\"none\""]) }
        let omits = !endsWithPrice && ending != "\"none\"" && chance(30) ? ", omit_none: [create]" : ""
        let sharesItem = isTree && chance(35)
        if sharesItem { arrays.append(["shelves"]) }
        func item(_ name: String) -> String {
            "at: /shelves, item: {where: /shelf, is: \"{shelf}\", value: /\(name), with: {/kind: ours, /size: 3}}"
        }
        let price = sharesItem && chance(60) ? item("price") : "at: \(place("price"))"
        let stock = sharesItem ? item("count") : "at: \(place("stock"))"
        let companions = !sharesItem && chance(40) ? ", with: {/counted: true}" : ""
        let hasFixedCurrency = chance(30)
        let currency =
            hasFixedCurrency
            ? "{fixed: \"{currency}\"}" : "{at: \(place("currency")), as: code, case: \(one(["upper", "lower"]))}"
        let hasKey = chance(60)

        // Pictures.
        var style = one(["parts", "base64", "url", "upload", "none"])
        if style == "parts", body != .parts, body != .jsonPart { style = "url" }
        // Of pictures that are shown elsewhere than written, a change of all fields can name those that stay by their ids alone.
        let needsIDs = sends == "whole" && style != "parts" && style != "none"
        let isSingle = chance(30) && style != "parts" && !needsIDs
        let hasNew = !isSingle && chance(50) || needsIDs
        let hasNumbers = style == "upload" && chance(40)
        let clears = isTree && style != "parts" && chance(60)
        var pictures = ""
        if style != "none" {
            pictures = "pictures:\n  style: \(style)\n  read: {at: /pics, id: /id, url: /url}\n  change: in_place\n"
            if style == "parts" {
                pictures += "  part: \"files[]\"\n"
            } else {
                let kept = hasNew && chance(60) || needsIDs
                pictures +=
                    "  write: {at: /pictures\(isSingle ? ", one: true" : "")\(hasNew ? ", new: /src" : "")"
                    + "\(kept ? ", kept: /pid" : "")}\n"
                if clears { pictures += "  clear: \(isSingle ? one(["null", "\"\""]) : "\"[]\"")\n" }
                form.pictures = ["pictures"]
                form.new = hasNew ? ["src"] : []
                form.kept = kept ? ["pid"] : ["no such member"]
            }
            if style == "upload" {
                let raw = chance(50)
                pictures +=
                    "  upload: {path: /upload, body: \(raw ? "raw" : "parts, part: file"), "
                    + "answer: /file/\(hasNumbers ? "number, as: integer" : "ref")}\n"
            }
        }
        let bodyText =
            switch body {
            case .json: chance(30) ? "type: application/vnd.api+json" : "as: json"
            case .form: "as: form"
            case .parts: "as: parts"
            case .jsonPart: "parts: product"
            }
        let wrap = form.wrapping.isEmpty ? "" : ", product: /\(form.wrapping.joined(separator: "/"))"
        let inside = form.wrapping.isEmpty ? "" : ", inside: /\(form.wrapping.joined(separator: "/"))"
        let constants = isTree ? "{/kind: lamp, /shown: true, /rank: 3}" : "{/kind: lamp, /rank: 3}"
        let answer = form.answersIDs ? ", answer: id" : ""
        let keep = form.hasVersions ? ", keep: [/version]" : ""
        let hasQuery = chance(30)
        document = """
            market: 1
            name: made
            parameters: {language: {as: slug}, shelf: {as: slug}, currency: {as: code}, channel: {as: slug}}
            headers: {Shop: "{language}-{shelf}-{currency}-{channel}"}
            identity:
              id: {at: /id, as: \(form.hasTextIDs ? "text" : "integer")}
            \(hasKey ? "  key: {at: \(isTree ? "/codes/sku" : "/sku"), unique: racy, find: {query: {sku: \"{key}\"}}}" : "  key: none")
            fields:
              name: \(text("name"))
              description: \(text("description", chance(30) && isTree ? ", unset: null" : ""))
              price: {\(price), as: \(priceKind)}
              currency: \(currency)
              sale: {at: \(place("sale")), as: \(saleKind), means: \(means), none: \(ending)\(omits)}
              stock: {\(stock), as: integer\(companions)}
            \(pictures)
            list: {path: /products, page: {by: none}, rows: /rows, total: {at: /total}, complete: whole}
            operations:
              detail: {path: "/products/{id}"\(hasQuery ? ", query: {view: \"all of it\"}" : "")\(wrap)}
              create: {method: POST, path: /products, body: {\(bodyText)\(inside)}, with: \(constants), success: [201]\(wrap)\(answer)}
              update: {method: \(method), path: "/products/{id}", body: {\(bodyText)\(inside)}, send: \(sends)\(keep)\(wrap), with: {/kind: lamp}}
              delete: {method: DELETE, path: "/products/{id}"\(hasQuery ? ", query: {force: [\"yes\", \"{id}\"]}" : "")}
            """
        form.replaced = maps + (isChange ? [] : [])
        self.form = form
        self.style = MarketDescription.Pictures.Style(rawValue: style) ?? .none
        self.hasFixedCurrency = hasFixedCurrency
        carriesKeys = hasKey
        hasWholePrices = priceKind == "whole" || saleKind == "whole"
        self.endsWithPrice = endsWithPrice
        holdsOnePicture = isSingle
        clearsPictures = clears
        countsStock = !companions.isEmpty
        sendsAllBack = sends == "merged"
        self.maps = maps
        self.arrays = arrays
    }

    /// What a product is in it; what is left to chance is made by the same seed.
    func values(_ random: inout SeededGenerator, currency: Currency?) -> ProductValues {
        func one<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        let currency =
            hasFixedCurrency ? Currency(rawValue: "USD") : currency ?? Currency(rawValue: one(["KRW", "USD", "KWD"]))
        let digits = hasWholePrices || !hasFixedCurrency ? 0 : min(2, currency.fractionDigits)
        func amount(_ range: ClosedRange<Int64>) -> ExactDecimal {
            let scale = Int64(digits == 0 ? 1 : 100)
            let number = Int64.random(in: range.lowerBound * scale...range.upperBound * scale, using: &random)
            return ExactDecimal(significand: number, scale: digits) ?? .zero
        }
        return ProductValues(
            name: one(["책상 조명", "Desk \"lamp\" & co=1", "a[b]+%20 c", "x\r\ny"]),
            description: one(["Warm.", "두 팔\n\t", "100% [ok]; a=b&c", "--openmarket--"]),
            price: amount(1000...9000),
            currency: currency,
            sale: one([Sale.fullPrice, .price(amount(1...999))]),
            stock: one([0, 1, 1_000_000_000_000])
        )
    }
}
