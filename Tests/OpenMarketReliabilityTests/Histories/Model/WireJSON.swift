/// JSON as the model reads and writes it: numbers keep their spelling, members their order.
///
/// Shares no code with the product, so that a fault of the product's reader cannot hide itself.
enum WireJSON: Sendable {
    case null
    case bool(Bool)
    case number(String)
    case text(String)
    case array([WireJSON])
    case object([Member])

    struct Member: Sendable {
        var name: String
        var value: WireJSON
    }

    /// An object's member.
    subscript(name: String) -> WireJSON? {
        get {
            guard case .object(let members) = self else { return nil }
            return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
        }
        set {
            guard case .object(var members) = self else { return }
            if let index = members.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
                if let newValue { members[index].value = newValue } else { members.remove(at: index) }
            } else if let newValue {
                members.append(Member(name: name, value: newValue))
            }
            self = .object(members)
        }
    }

    var text: String? { if case .text(let value) = self { value } else { nil } }
    var double: Double? { if case .number(let spelling) = self { Double(spelling) } else { nil } }
    var isNull: Bool { if case .null = self { true } else { false } }
    var elements: [WireJSON] { if case .array(let elements) = self { elements } else { [] } }

    /// An object of these members, in this order.
    static func members(_ members: (String, WireJSON)...) -> WireJSON {
        .object(members.map { Member(name: $0.0, value: $0.1) })
    }

    static func integer(_ value: Int) -> WireJSON { .number(String(value)) }

    // MARK: - Writing

    var bytes: [UInt8] {
        var result: [UInt8] = []
        write(to: &result)
        return result
    }

    private func write(to out: inout [UInt8]) {
        switch self {
        case .null: out += "null".utf8
        case .bool(let value): out += (value ? "true" : "false").utf8
        case .number(let spelling): out += spelling.utf8
        case .text(let text): Self.write(text, to: &out)
        case .array(let elements):
            out.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                element.write(to: &out)
            }
            out.append(UInt8(ascii: "]"))
        case .object(let members):
            out.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &out)
                out.append(UInt8(ascii: ":"))
                member.value.write(to: &out)
            }
            out.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): out += [UInt8(ascii: "\\"), byte]
            case UInt8(ascii: "\n"): out += "\\n".utf8
            case 0..<0x20: out += ("\\u00" + (byte < 16 ? "0" : "") + String(byte, radix: 16)).utf8
            default: out.append(byte)
            }
        }
        out.append(UInt8(ascii: "\""))
    }

    // MARK: - Reading

    /// The value that some bytes are; `nil` when they are not JSON.
    static func parse(_ bytes: some Collection<UInt8>) -> WireJSON? {
        var parser = Parser(rest: Array(bytes)[...])
        guard let value = parser.value() else { return nil }
        parser.skipBlanks()
        return parser.rest.isEmpty ? value : nil
    }

    private struct Parser {
        var rest: ArraySlice<UInt8>

        mutating func skipBlanks() {
            while let byte = rest.first, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { rest.removeFirst() }
        }

        mutating func take(_ byte: Unicode.Scalar) -> Bool {
            skipBlanks()
            guard rest.first == UInt8(ascii: byte) else { return false }
            rest.removeFirst()
            return true
        }

        mutating func take(word: String) -> Bool {
            guard rest.starts(with: word.utf8) else { return false }
            rest = rest.dropFirst(word.utf8.count)
            return true
        }

        mutating func value() -> WireJSON? {
            skipBlanks()
            switch rest.first {
            case UInt8(ascii: "{"): return object()
            case UInt8(ascii: "["): return array()
            case UInt8(ascii: "\""): return string().map(WireJSON.text)
            case UInt8(ascii: "t"): return take(word: "true") ? .bool(true) : nil
            case UInt8(ascii: "f"): return take(word: "false") ? .bool(false) : nil
            case UInt8(ascii: "n"): return take(word: "null") ? .null : nil
            default:
                let spelling = rest.prefix { "+-.0123456789eE".utf8.contains($0) }
                guard !spelling.isEmpty else { return nil }
                rest = rest.dropFirst(spelling.count)
                return .number(String(decoding: spelling, as: UTF8.self))
            }
        }

        mutating func object() -> WireJSON? {
            guard take("{") else { return nil }
            var members: [Member] = []
            if take("}") { return .object([]) }
            repeat {
                skipBlanks()
                guard let name = string(), take(":"), let value = value() else { return nil }
                members.append(Member(name: name, value: value))
            } while take(",")
            return take("}") ? .object(members) : nil
        }

        mutating func array() -> WireJSON? {
            guard take("[") else { return nil }
            var elements: [WireJSON] = []
            if take("]") { return .array([]) }
            repeat {
                guard let value = value() else { return nil }
                elements.append(value)
            } while take(",")
            return take("]") ? .array(elements) : nil
        }

        mutating func string() -> String? {
            guard rest.first == UInt8(ascii: "\"") else { return nil }
            rest.removeFirst()
            var units: [UInt8] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: units, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let escape = rest.popFirst() else { return nil }
                    switch escape {
                    case UInt8(ascii: "n"): units.append(0x0A)
                    case UInt8(ascii: "r"): units.append(0x0D)
                    case UInt8(ascii: "t"): units.append(0x09)
                    case UInt8(ascii: "b"): units.append(0x08)
                    case UInt8(ascii: "f"): units.append(0x0C)
                    case UInt8(ascii: "u"):
                        guard let scalar = scalar() else { return nil }
                        units += Array(String(scalar).utf8)
                    default: units.append(escape)
                    }
                case 0..<0x20: return nil
                default: units.append(byte)
                }
            }
            return nil
        }

        /// What follows `\u`, the second half of a pair included.
        mutating func scalar() -> Unicode.Scalar? {
            guard let high = unit() else { return nil }
            guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) }
            guard take(word: "\\u"), let low = unit(), (0xDC00..<0xE000).contains(low) else { return nil }
            return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
        }

        mutating func unit() -> UInt32? {
            let digits = rest.prefix(4)
            rest = rest.dropFirst(4)
            return digits.count == 4 ? UInt32(String(decoding: digits, as: UTF8.self), radix: 16) : nil
        }
    }
}
