import FoundationEssentials
@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing

/// What the manual says of the language, and what follows from descriptions.
struct ReferenceTests {
    /// The manual explains every style, proof and field; the tables of keys only list them.
    @Test func `the manual explains what can be chosen`() throws {
        let manual = DescribedMarkets.root.appendingPathComponent("docs/markets.md")
        let text = String(decoding: try Data(contentsOf: manual), as: UTF8.self)
        let prose = text + (try Recipes.text("docs/guides/cookbook.md"))
        let words =
            MarketDescription.Page.Style.allCases.map { "by: \($0.rawValue)" } + Proof.allCases.map(\.rawValue)
            + MarketDescription.Fields.Name.allCases.map { "`\($0.rawValue)`" }
            + MarketDescription.List.Completeness.allCases.map { "`\($0.rawValue)`" }
            + MarketDescription.List.PastEnd.Answer.allCases.map { "`\($0.rawValue)`" }
            + MarketDescription.MoneyKind.allCases.map { "`\($0.rawValue)`" }
            + MarketDescription.SaleField.Meaning.allCases.map { "`\($0.rawValue)`" }
            + MarketDescription.Parameter.Kind.allCases.map { "`\($0.rawValue)`" }
            + MarketDescription.ErrorRules.Meaning.allCases.map { "`\($0.rawValue)`" }
            + Capability.allCases.map { "`\($0.rawValue)`" }
        for word in words where !prose.contains(word) {
            Issue.record("neither docs/markets.md nor the cookbook explains \(word)")
        }
    }

    @Test func `what a parameter fills is not filled again`() throws {
        let document = """
            market: 1
            name: shop
            parameters: {first: {as: text}, second: {as: text}}
            headers: {X-Shop: "{first} {second} {first}"}
            identity: {id: {at: /id, as: integer}}
            fields: {name: {at: /name}}
            list: {path: /p, query: {q: "{second}{first}"}, page: {by: none}, rows: "", complete: whole}
            """
        let loaded = MarketDescriptionLoader.load(Array(document.utf8), isChecked: false)
        let market = try #require(loaded.description, "\(loaded.faults)")
        for values in [
            ["first": "{second}", "second": "{first}"], ["first": "{first}", "second": "{{second}}"],
            ["first": "{third}"],
        ] {
            func filled(_ text: String) -> String { values[text] ?? "{\(text)}" }
            func encoded(_ text: String) -> String { values[text]?.percentEncoded ?? "{\(text)}" }
            let form = try #require(market.requestForms(values).first)
            #expect(form.headers == ["X-Shop: \(filled("first")) \(filled("second")) \(filled("first"))"])
            #expect(form.address == "/p?q=\(encoded("second"))\(encoded("first"))")
        }
    }

    @Test(arguments: ["parts", "base64", "url", "upload"])
    func `a change shows a place of pictures only where it sends them`(style: String) throws {
        for (change, send) in [("in_place", "changed"), ("replace", "changed"), ("replace", "whole")] {
            let place = style == "parts" ? "part: file" : "write: {at: /images}"
            let upload = style == "upload" ? ", upload: {path: /media, body: raw, answer: /id}" : ""
            let body = style == "parts" ? "parts" : "json"
            let document = """
                market: 1
                name: shop
                identity: {id: {at: /id, as: integer}}
                fields: {name: {at: /name}}
                pictures: {style: \(style), \(place), change: \(change)\(upload)}
                list: {path: /p, page: {by: none}, rows: "", complete: whole}
                operations:
                  create: {method: POST, path: /p, body: \(body)}
                  update: {method: PATCH, path: "/p/{id}", body: \(body), send: \(send)}
                """
            let loaded = MarketDescriptionLoader.load(Array(document.utf8), isChecked: false)
            let market = try #require(loaded.description, "\(loaded.faults)")
            let shown = style == "parts" ? "file" : "/images"
            // A change of all fields sends back what the product holds.
            let changesSend = change == "in_place" || send == "whole" && style != "parts"
            let wanted: [MarketDescription.Operation] = changesSend ? [.create, .update] : [.create]
            let forms = market.requestForms([:])
            #expect(forms.filter { $0.places.contains(shown) }.map(\.operation) == wanted)
        }
    }

    /// The earlier market of each API differs from the later one in names that its requests show.
    @Test(arguments: DescribedMarkets.names.filter { !["v1a", "v2a"].contains($0) })
    func `what follows from a description`(_ name: String) throws {
        let market = try DescribedMarkets.market(name)
        var text = "grades: \(market.grades.map(\.rawValue).joined(separator: ", "))\n"
        text += "proofs: \(market.proofs.attempts.map(\.rawValue).joined(separator: ", "))\n"
        for other in market.proofs.others {
            text += "not \(other.proof.rawValue): \(other.reasons.joined(separator: "; "))\n"
        }
        text += "\n"
        for capability in Capability.allCases {
            let obstacles = capability.obstacles(in: market)
            text +=
                "\(capability.rawValue): \(obstacles.isEmpty ? "yes" : "no, " + obstacles.joined(separator: "; "))\n"
        }
        for form in market.requestForms(["currency": "EUR"]) {
            text += "\n\(form.operation.rawValue): \(form.method.rawValue) \(form.address)\n"
            let body = [("always", form.constants), ("fills", form.places), ("of a probe", form.hidden)]
            let lines = form.headers + body.filter { !$1.isEmpty }.map { "\($0) \($1.joined(separator: ", "))" }
            for line in lines { text += "    \(line)\n" }
        }
        expectGolden(text.utf8, "\(name).txt")
    }
}
