import OpenMarket
import YAML

extension Shape where Value: DescriptionSection {
    static var section: Shape { .section(Value.table) }
}

extension Shape where Value == String {
    /// The name of a request's header.
    static var header: Shape { noted(.header) { .header($0) } }
    /// The name of a request's query.
    static var query: Shape { noted(.query) { .query($0) } }

    private static func noted(_ form: TextForm, _ use: @escaping (String) -> SentName) -> Shape {
        text(form).noting { name, _, reader in reader.note(use(name)) }
    }
}

extension NameShape where Name == String {
    static var header: NameShape { .text(.header) { SentName.header($0) } }
    static var query: NameShape { .text(.query) { SentName.query($0) } }
}

extension NameShape where Name == JSONPointer {
    static var pointer: NameShape {
        NameShape("a pointer", pattern: JSONPointer.pattern) {
            $0
        } make: {
            JSONPointer($0)
        }
    }
}

extension Shape where Value == Duration {
    static var seconds: Shape {
        text(
            "a time such as `60s` or `5m`",
            patterns: ["^[1-9][0-9]{0,2}[sm]" + TextForm.end],
            help: { _ in "write a whole number of seconds or minutes, at most 999" }
        ) { text in
            guard let unit = text.last, unit == "s" || unit == "m", let number = Int(text.dropLast()), number > 0,
                number < 1000, text.isExactly("\(number)\(unit)")
            else { return nil }
            return .seconds(unit == "s" ? number : 60 * number)
        }
    }
}

extension Shape where Value == Template {
    static func template(_ form: TextForm) -> Shape {
        text(form.words + ", with placeholders", patterns: [form.pattern, Template.pattern]) { text in
            form.takes(text) ? "braces hold the name of a placeholder, as in '{id}'" : form.help
        } make: { text in
            form.takes(text) ? Template(text) : nil
        }
        .noting { template, _, reader in reader.note(template) }
    }

    static var path: Shape {
        template(.path).noting { template, _, reader in reader.note(RequestPath(template: template)) }
    }
}

extension Shape where Value == JSONPointer {
    static var pointer: Shape {
        Shape(
            "a pointer",
            [.scalar],
            schema: { .object(of: ("type", .string("string")), ("pattern", .string(JSONPointer.pattern))) }
        ) { node, reader in
            guard let text = reader.text(node, "a pointer") else { return nil }
            guard let pointer = JSONPointer(text) else {
                reader.reportShape(
                    "'\(text.excerpt)' is not a JSON pointer",
                    at: node.start,
                    help: JSONPointer("/" + text) != nil && !text.hasPrefix("/")
                        ? "write '/\(text)'"
                        : "a pointer is '/' and a member's name, at most \(JSONPointer.longest) times: '/price/amount'"
                )
                return nil
            }
            reader.note(pointer)
            return pointer
        }
    }
}

extension Shape where Value == Int {
    static var version: Shape {
        let version = MarketLanguage.version
        return Shape("`\(version)`", [.scalar], schema: { .object(of: ("const", .integer(version))) }) { node, reader in
            guard case .number(let number)? = PlainScalar(node), let whole = number.wholeValue else {
                reader.reportKind(node, "a version")
                return nil
            }
            guard whole == Int64(version) else {
                reader.reportShape(
                    "version \(whole) of the language does not exist",
                    at: node.start,
                    help: "this program reads version \(version)"
                )
                return nil
            }
            return version
        }
    }

    /// An HTTP status in a range of whole hundreds, with or without quotes.
    static func status(_ range: ClosedRange<Int>) -> Shape {
        let words = "a status from \(range.lowerBound) to \(range.upperBound)"
        return Shape(words, [.scalar]) {
            .object(
                of: (
                    "anyOf",
                    .array([
                        Shape<Int>.whole(range).schema(),
                        .object(
                            of: ("type", .string("string")),
                            (
                                "pattern",
                                .string("^[\(range.lowerBound / 100)-\(range.upperBound / 100)][0-9]{2}\(TextForm.end)")
                            )
                        ),
                    ])
                )
            )
        } read: { node, reader in
            guard let text = reader.written(node, words) else { return nil }
            guard text.utf8.count == 3, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") }), let status = Int(text),
                range.contains(status)
            else {
                reader.reportShape("'\(text.excerpt)' is not \(words)", at: node.start)
                return nil
            }
            return status
        }
    }
}

extension Shape where Value == MarketDescription.List.PastEnd.Answer {
    /// `empty`, or a status with or without quotes.
    static var statusChoice: Shape {
        .word(Value.names, takesNumbers: true) { Value(rawValue: $0) }
    }
}

extension Shape where Value == MarketDescription.Missing {
    /// `empty`, or a status with or without quotes.
    static var missing: Shape {
        let statuses = ["200", "204", "400", "403", "404", "410", "422"]
        return .word(["empty"] + statuses, takesNumbers: true) { word in
            word == "empty" ? .empty : statuses.contains(word) ? Int(word).map { .status($0) } : nil
        }
    }
}

extension Shape where Value == MarketDescription.Method {
    static var writing: Shape {
        let methods: [MarketDescription.Method] = [.post, .put, .patch, .delete]
        return word(methods.map(\.rawValue)) { name in methods.first { $0.rawValue == name } }
    }
}

extension Shape where Value == Literal {
    static var literal: Shape {
        Shape("a text, number, `true`, `false` or `null`", [.scalar]) {
            .object(
                of: (
                    "anyOf",
                    .array([
                        .object(of: ("type", .array(["number", "boolean", "null"].map(JSONValue.string)))),
                        Shape<Template>.template(.value).schema(),
                    ])
                )
            )
        } read: { node, reader in
            switch PlainScalar(node) {
            case .null?: return .null
            case .boolean(let truth)?: return .boolean(truth)
            case .number(let number)?: return .number(number)
            case .text?: return Shape<Template>.template(.value).read(node, &reader).map { .text($0) }
            case nil:
                reader.reportKind(node, "a text, a number, true, false or null")
                return nil
            }
        }
    }
}
