import OpenMarket

extension Shape {
    /// A text of a form, converted by `make`.
    package static func text(
        _ words: String,
        patterns: [String],
        help: @escaping (String) -> String?,
        make: @escaping (String) -> Value?
    ) -> Shape {
        Shape(words, [.scalar]) {
            .object(
                of: ("type", .string("string")),
                ("pattern", patterns.first.map { .string($0) }),
                (
                    "allOf",
                    patterns.count < 2
                        ? nil
                        : .array(patterns.dropFirst().map { .object(of: ("pattern", .string($0))) })
                )
            )
        } read: { node, reader in
            guard let text = reader.text(node, words) else { return nil }
            guard let value = make(text) else {
                reader.reportShape(
                    "'\(text.excerpt)' is not \(words.replacing("`", with: ""))",
                    at: node.start,
                    help: help(text)
                )
                return nil
            }
            return value
        }
    }

    /// Any scalar except null, converted from its text, regardless of its YAML type.
    package static func written(_ words: String, _ make: @escaping (String) -> Value?) -> Shape {
        Shape(words, [.scalar]) {
            .object(of: ("type", .array(["string", "number", "boolean"].map(JSONValue.string))))
        } read: { node, reader in
            guard let text = reader.written(node, words) else { return nil }
            let value = make(text)
            if value == nil { reader.reportShape("'\(text.excerpt)' is not \(words)", at: node.start) }
            return value
        }
    }

    /// One of a few words.
    ///
    /// With `takesNumbers`, whole numbers among them may be without quotes.
    package static func word(
        _ names: [String],
        takesNumbers: Bool = false,
        _ make: @escaping (String) -> Value?
    ) -> Shape {
        Shape(names.map { "`\($0)`" }.listed("or"), [.scalar]) {
            let numbers = takesNumbers ? names.compactMap { Int($0) } : []
            return .object(of: ("enum", .array(names.map(JSONValue.string) + numbers.map { .integer($0) })))
        } read: { node, reader in
            let words = names.listed("or")
            guard let text = takesNumbers ? reader.written(node, words) : reader.text(node, words) else { return nil }
            let value = make(text)
            if value == nil {
                reader.reportShape(
                    "'\(text.excerpt)' is not \(words)",
                    at: node.start,
                    help: Suggestion.nearest(to: text, in: names).map { "did you mean '\($0)'?" }
                )
            }
            return value
        }
    }
}

extension Shape where Value == String {
    /// The text of any scalar except null, in its spelling: also `1` and `true`.
    package static func written(_ words: String) -> Shape { written(words) { $0 } }

    package static func text(_ form: TextForm) -> Shape {
        text(form.words, patterns: [form.pattern], help: { _ in form.help }) { form.takes($0) ? $0 : nil }
    }
}

extension Shape where Value: ClosedList {
    package static var choice: Shape { word(Value.names) { Value(rawValue: $0) } }
}

extension Shape where Value == Bool {
    package static var boolean: Shape {
        Shape("`true` or `false`", [.scalar], schema: { .object(of: ("type", .string("boolean"))) }) { node, reader in
            guard case .boolean(let truth)? = PlainScalar(node) else {
                reader.reportKind(node, "true or false")
                return nil
            }
            return truth
        }
    }
}

extension Shape where Value == Int {
    package static func whole(_ range: ClosedRange<Int>) -> Shape {
        let isOpen = range.upperBound == .max
        let bounds = isOpen ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
        let words = "a whole number \(bounds)"
        return Shape(words, [.scalar]) {
            .object(
                of: ("type", .string("integer")),
                ("minimum", .integer(range.lowerBound)),
                ("maximum", isOpen ? nil : .integer(range.upperBound))
            )
        } read: { node, reader in
            guard case .number(let number)? = PlainScalar(node), let whole = number.wholeValue else {
                reader.reportKind(node, words)
                return nil
            }
            guard range.contains(Int(whole)) else {
                reader.reportShape("\(whole) is not \(words)", at: node.start)
                return nil
            }
            return Int(whole)
        }
    }
}
