import FoundationEssentials
import OpenMarket

struct WireField: Hashable, Sendable {
    /// A value that preserves whether it is a secret.
    enum Value: Hashable, Sendable {
        case text(String)
        /// A price or an amount.
        case number(ExactDecimal)
        /// A stock, or an id that is a number.
        case integer(Int64)
        /// A number that is sent back in its original spelling.
        case numeral(String)
        case boolean(Bool)
        case null
        /// A password, or a vendor's secret or identifier.
        case secret(Secret)
        /// The bytes of a picture, in Base64.
        case picture(Picture)
        case object([WireField])
        case array([Value])

        static func id(_ id: MarketID) -> Value {
            switch id {
            case .number(let number): .integer(number)
            case .text(let text): .text(text)
            }
        }

        /// A value that is sent back as it was read.
        init(_ json: JSONValue) {
            self =
                switch json {
                case .object(let members): .object(members.map { WireField($0.name, Value($0.value)) })
                case .array(let elements): .array(elements.map { Value($0) })
                case .string(let text): .text(text)
                case .number(let number): .number(number)
                case .unrepresentableNumber(let text): .numeral(text)
                case .bool(let truth): .boolean(truth)
                case .null: .null
                }
        }

        /// The value as text with the secret revealed: for the request only.
        var revealed: String { text(hidingSecrets: false) }

        /// The value as text, with a secret as `•••`.
        var masked: String { text(hidingSecrets: true) }

        private func text(hidingSecrets: Bool) -> String {
            switch self {
            case .text(let text), .numeral(let text): text
            case .number(let number): number.description
            case .integer(let integer): String(integer)
            case .boolean(let truth): truth ? "true" : "false"
            case .null: "null"
            case .secret(let secret): hidingSecrets ? secret.description : secret.revealed
            case .picture(let picture): picture.words
            case .object, .array: String(decoding: shown.bytes(), as: UTF8.self)
            }
        }

        /// The value as dry runs show it: every secret as `•••`, a picture as its description.
        var shown: JSONValue {
            switch self {
            case .text(let text): .string(text)
            case .number(let number): .number(number)
            case .integer(let integer): .number(ExactDecimal(integer))
            case .numeral(let text): .unrepresentableNumber(text)
            case .boolean(let truth): .bool(truth)
            case .null: .null
            case .secret, .picture: .string(masked)
            case .object(let fields): .object(fields.map { JSONValue.Member($0.name, $0.value.shown) })
            case .array(let values): .array(values.map(\.shown))
            }
        }

        /// The value as it is sent in a part or a form.
        ///
        /// Throws ``MarketError`` if a picture has changed.
        func bytes(hidingSecrets: Bool) throws(MarketError) -> [UInt8] {
            if case .picture(let picture) = self { return Array(try PictureFile(picture).base64().utf8) }
            try requireSendable()
            return Array(text(hidingSecrets: hidingSecrets).utf8)
        }

        /// Throws ``MarketError`` for a digest that replaces a text of the market.
        private func requireSendable() throws(MarketError) {
            guard case .text(let text) = self, text.isConcealed else { return }
            throw MarketError(.refused, "a text of the product on the market holds a credential, and is not sent again")
        }

        /// The value as JSON, as it is sent.
        ///
        /// Throws ``MarketError`` if a picture has changed.
        func json(hidingSecrets: Bool) throws(MarketError) -> [UInt8] {
            var writer = JSONWriter()
            try write(to: &writer, hidingSecrets: hidingSecrets)
            return writer.bytes
        }

        private func write(to writer: inout JSONWriter, hidingSecrets: Bool) throws(MarketError) {
            switch self {
            case .text(let text):
                try requireSendable()
                writer.string(text)
            case .number(let number): writer.decimal(number)
            case .integer(let integer): writer.integer(integer)
            case .numeral(let text): writer.value(.unrepresentableNumber(text))
            case .boolean(let truth): writer.bool(truth)
            case .null: writer.null()
            case .secret(let secret): writer.string(hidingSecrets ? secret.description : secret.revealed)
            case .picture(let picture): writer.string(try PictureFile(picture).base64())
            case .object(let fields):
                try writer.object { writer throws(MarketError) in
                    for field in fields {
                        writer.name(field.name)
                        try field.value.write(to: &writer, hidingSecrets: hidingSecrets)
                    }
                }
            case .array(let values):
                try writer.array { writer throws(MarketError) in
                    for value in values { try value.write(to: &writer, hidingSecrets: hidingSecrets) }
                }
            }
        }
    }

    var name: String
    var value: Value

    init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }

    /// Compares names by their bytes.
    package static func == (left: WireField, right: WireField) -> Bool {
        left.name.isExactly(right.name) && left.value == right.value
    }
}

extension Picture {
    /// A description for people: `lamp.jpg, image/jpeg, 84213 bytes, sha256 0123456789ab…`.
    var words: String { "\(uploadName), \(format.mediaType), \(byteCount) bytes, sha256 \(digest.abbreviated)…" }
}

extension PictureFile {
    /// The whole file in Base64; throws ``MarketError`` if it has changed.
    fileprivate func base64() throws(MarketError) -> String { Data(try bytes()).base64EncodedString() }
}
