import OpenMarket

/// Finds faults of a description that no single part shows: contradictions and unsafe values.
struct DescriptionChecker {
    let market: MarketDescription
    let uses: DescriptionUses
    private(set) var faults: [Problem] = []

    /// All faults of a description whose uses were recorded during reading.
    static func faults(in market: MarketDescription, uses: DescriptionUses) -> [Problem] {
        var checker = DescriptionChecker(market: market, uses: uses)
        checker.checkPlaceholders()
        checker.checkAddresses()
        checker.checkNames()
        checker.checkAuth()
        checker.checkIdentity()
        checker.checkFields()
        checker.checkPictures()
        checker.checkPage()
        checker.checkEnd()
        checker.checkCompleteness()
        checker.checkOperations()
        checker.checkErrors()
        return checker.faults
    }

    mutating func report(_ path: String, _ message: String, help: String? = nil) {
        faults.append(Problem(.rule, message, path: path, help: help))
    }

    // MARK: Placeholders

    /// The placeholders that have a value at a path, besides parameters.
    private func placeholders(at path: String) -> [Placeholder] {
        let steps = path.split { $0 == "." || $0 == "[" }
        guard !steps.contains("headers") else { return [] }
        switch (steps.first, steps.dropFirst().first) {
        case ("list", "path"): return market.list.page.placeholders.filter { $0 != .last && $0 != .cursor }
        case ("list", "page") where steps.dropFirst(2).first == "query": return market.list.page.placeholders
        case ("identity", "key"): return [.key]
        // The id comes from a row of the list, and perhaps only the detail shows the product's vendor key.
        case ("operations", "detail"): return [.id]
        case ("operations", "update"), ("operations", "delete_key"): return [.id, .key]
        case ("operations", "delete"): return [.id, .key, .deleteKey]
        case ("pictures", "attach"): return [.id]
        case ("fields", _) where steps.contains("item") && steps.contains("with"): return [.key]
        case ("operations", "create"): return market.identity.id.chosenBy == .us ? [.id, .key] : [.key]
        default: return []
        }
    }

    private mutating func checkPlaceholders() {
        var used: Set<String> = []
        for use in uses.templates {
            let allowed = placeholders(at: use.path)
            for placeholder in use.value.placeholders {
                guard case .parameter(let name) = placeholder else {
                    if !allowed.contains(placeholder) {
                        report(
                            use.path,
                            "'\(placeholder)' is not available here",
                            help: allowed.isEmpty
                                ? "only parameters are taken here"
                                : "available here: \(allowed.map(\.description).listed("and"))"
                        )
                    }
                    continue
                }
                used.insert(name)
                checkParameter(name, at: use.path, among: allowed)
            }
        }
        for use in uses.pointers {
            for case .member(let name) in use.value.tokens {
                if name == "-" { report(use.path, "'-' is the empty place behind the end of an array") }
                if !name.isEmpty, name.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                    Int(name).map({ $0 > JSONPointer.lastIndex }) ?? true
                {
                    report(use.path, "a pointer names at most the element \(JSONPointer.lastIndex) of an array")
                }
            }
            for name in use.value.parameters {
                used.insert(name)
                checkParameter(name, at: use.path, among: [])
                if market.parameter(name)?.kind == .text {
                    report(use.path, "'{\(name)}' is a text, and a pointer takes slugs and codes alone")
                }
            }
        }
        for use in uses.paths {
            for case .parameter(let name) in use.value.placeholders where market.parameter(name)?.kind == .text {
                report(use.path, "'{\(name)}' is a text, and a path takes slugs and codes alone")
            }
        }
        for parameter in market.parameters {
            let path = "parameters.\(parameter.name)"
            if Placeholder.builtIn.contains(where: { $0.name == parameter.name }) {
                report(path, "'\(parameter.name)' is the language's own", help: "give the parameter another name")
            } else if Self.credentials.contains(parameter.name) {
                report(path, "a parameter is not a credential", help: "use 'auth' to place credentials in requests")
            } else if !used.contains(parameter.name) {
                report(path, "the parameter '\(parameter.name)' is used nowhere")
            }
        }
    }

    private static let credentials: Set = ["secret", "identifier", "password", "token", "api_key", "apikey"]

    private mutating func checkParameter(_ name: String, at path: String, among placeholders: [Placeholder]) {
        guard market.parameter(name) == nil else { return }
        guard !Self.credentials.contains(name) else {
            report(path, "'{\(name)}' is not taken here: credentials are sent only as 'auth' sets")
            return
        }
        let names = market.parameters.map(\.name) + placeholders.map(\.name)
        report(
            path,
            "no parameter '\(name)' is declared",
            help: Suggestion.nearest(to: name, in: names).map { "did you mean '{\($0)}'?" }
                ?? "declare it in 'parameters', and a manifest gives it a value"
        )
    }

    // MARK: Tools

    /// The texts that occur more than once, each listed once.
    static func repeated(_ texts: [String]) -> [String] {
        var counts: [String: Int] = [:]
        for text in texts { counts[text, default: 0] += 1 }
        return counts.filter { $0.value > 1 }.keys.sorted()
    }
}
