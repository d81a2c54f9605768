import OpenMarket

struct FieldValueText {
    /// The operation's picture files, to show a file's name for a digest.
    private let pictures: [Picture]
    private let limit: Int
    /// The currencies of prices before and after; `nil` if numbers are as the manifest writes them.
    private let currencies: (before: Currency?, after: Currency?)?

    static let shortText = 72

    /// Renders values as the manifest writes them, with pictures by their file names if given.
    init(pictures: [Picture] = [], limit: Int = Self.shortText) {
        self.pictures = pictures
        self.limit = limit
        currencies = nil
    }

    /// Renders an operation's values for reading, not for copying.
    ///
    /// Digits are grouped by three, and prices have their currency.
    init(reading operation: PlannedOperation, limit: Int) {
        pictures = operation.pictures
        self.limit = limit
        currencies = operation.currencies
    }

    /// A value; a price is without currency.
    func text(_ value: FieldValue?) -> String {
        switch value {
        case nil: "–"
        case .text(let text): "\"\(text.terminalSafe.abbreviated(to: limit))\""
        case .number(let number), .sale(.price(let number)): digits(number)
        case .integer(let number): digits(ExactDecimal(number))
        case .sale(.fullPrice): "no sale"
        case .images(let images): images.isEmpty ? "none" : images.map(name).joined(separator: ", ")
        case .image(let image): name(image)
        }
    }

    /// The market's value.
    func old(_ change: FieldChange) -> String { code(change, change.live) ?? money(change.live, currencies?.before) }

    /// The manifest's value.
    func new(_ change: FieldChange) -> String {
        code(change, change.manifest) ?? money(change.manifest, currencies?.after)
    }

    /// A currency, which is readable without quotes.
    private func code(_ change: FieldChange, _ value: FieldValue?) -> String? {
        guard currencies != nil, change.field == .currency, case .text(let code)? = value else { return nil }
        return code.terminalSafe.abbreviated(to: limit)
    }

    /// The market's value and the manifest's value.
    func move(_ change: FieldChange) -> String {
        // A currency common to both prices is stated once, after them.
        let isOne = currencies.map { $0.before == $0.after } ?? true
        return "\(isOne && change.manifest?.amount != nil ? text(change.live) : old(change)) → \(new(change))"
            + (Self.likeness(change).map { " (\($0))" } ?? "")
    }

    /// A price with its currency, or any other value.
    func money(_ value: FieldValue?, _ currency: Currency?) -> String {
        guard value?.amount != nil, let currency else { return text(value) }
        return "\(text(value)) \(currency.rawValue.terminalSafe.abbreviated(to: 12))"
    }

    private func digits(_ number: ExactDecimal) -> String {
        currencies == nil ? number.description : number.grouped
    }

    /// The note on two texts that differ but look alike; `nil` for all others.
    static func likeness(_ change: FieldChange) -> String? {
        guard case (.text(let live)?, .text(let manifest)?) = (change.live, change.manifest) else { return nil }
        return likeness(live, manifest)
    }

    static func likeness(_ old: String, _ new: String) -> String? {
        guard !old.isExactly(new) else { return nil }
        if old == new { return "the same characters in other bytes" }
        let looks = [old, new].map { text in text.unseen { $0.properties.isWhitespace ? " " : "" } }
        guard looks[0] == looks[1] else { return nil }
        // A part of a secret would not be masked.
        let (old, new) = (old.masked, new.masked)
        let start = max(0, zip(old.unicodeScalars, new.unicodeScalars).prefix { $0 == $1 }.count - 20)
        let escapes = [old, new].map { text in
            String(String.UnicodeScalarView(text.unicodeScalars.dropFirst(start)))
                .unseen { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
                .terminalSafe.abbreviated(to: shortText)
        }
        return "written out: \(escapes.joined(separator: " → "))"
    }

    private func name(_ picture: PictureIdentity) -> String {
        switch picture {
        case .digest(let digest):
            pictures.first { $0.digest == digest }.map(\.path.terminalSafe) ?? "picture \(digest.abbreviated)"
        case .unknown(let reference):
            "picture \(reference.split(separator: "/").last.map(String.init)?.terminalSafe ?? reference.terminalSafe)"
        }
    }
}

extension FieldValue {
    var amount: ExactDecimal? {
        switch self {
        case .number(let number), .sale(.price(let number)): number
        case .text, .integer, .sale(.fullPrice), .images, .image: nil
        }
    }
}

extension ExactDecimal {
    /// The number with its integer digits in groups of three: `1,234,567.89`.
    var grouped: String {
        let text = description
        let whole = text.prefix { $0 != "." }
        let sign = whole.prefix { $0 == "-" }
        var digits = whole.dropFirst(sign.count)
        var groups: [Substring] = []
        while digits.count > 3 {
            groups.append(digits.suffix(3))
            digits = digits.dropLast(3)
        }
        return sign + ([digits] + groups.reversed()).joined(separator: ",") + text.dropFirst(whole.count)
    }
}

extension String {
    /// The text with words for the characters that a reader cannot see or distinguish from a blank.
    fileprivate func unseen(as word: (Unicode.Scalar) -> String) -> String {
        unicodeScalars.reduce(into: "") { text, scalar in
            let isUnseen =
                scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format
                || scalar.properties.isWhitespace && !" \n\r\t\u{3000}".unicodeScalars.contains(scalar)
            if isUnseen { text += word(scalar) } else { text.unicodeScalars.append(scalar) }
        }
    }
}
