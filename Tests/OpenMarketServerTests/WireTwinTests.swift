import FoundationEssentials
import OpenMarket
import OpenMarketTestSupport
import Testing

@testable import OpenMarketServer

/// The server's JSON of requests beside Foundation's.
struct WireTwinTests {
    /// The same values by way of `JSONDecoder`: slow, and somebody else's.
    private enum Twin: Decodable {
        case value(WireValue)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .value(.null)
            } else if let value = try? container.decode(Bool.self) {
                self = .value(.bool(value))
            } else if let value = try? container.decode(String.self) {
                self = .value(.string(value))
            } else if let values = try? container.decode([Twin].self) {
                self = .value(.array(values.map(\.wire)))
            } else if let values = try? container.decode([String: Twin].self) {
                self = .value(.object(values.mapValues(\.wire)))
            } else {
                let number = try container.decode(Decimal.self)
                guard let value = ExactDecimal(number.description) else {
                    throw DecodingError.dataCorruptedError(in: container, debugDescription: "a number out of range")
                }
                self = .value(.number(value))
            }
        }

        var wire: WireValue {
            switch self {
            case .value(let value): value
            }
        }
    }

    private func twin(_ text: String) -> WireValue? {
        try? JSONDecoder().decode(Twin.self, from: Data(text.utf8)).wire
    }

    @Test func `any text is read, or refused, as Foundation does`() {
        var generator = SeededGenerator(seed: 23)
        for _ in 0..<3000 {
            var text = Self.value(depth: 3, &generator)
            #expect(WireValue(json: Array(text.utf8)) == twin(text), "\(text)")
            // One character more, less or another.
            var characters = Array(text.unicodeScalars)
            let place = Int.random(in: 0..<characters.count, using: &generator)
            let strange = Array("{}[]\":,0-.eE+tn\\ u\n한".unicodeScalars).randomElement(using: &generator) ?? "0"
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: characters.remove(at: place)
            case 1: characters.insert(strange, at: place)
            default: characters[place] = strange
            }
            text = String(String.UnicodeScalarView(characters))
            // Foundation takes a comma before a closing bracket, which is no JSON.
            guard text.firstMatch(of: /,\s*[\]}]/) == nil else { continue }
            #expect(WireValue(json: Array(text.utf8)) == twin(text), "\(text)")
        }
    }

    /// A text of JSON with the spellings that clients choose between.
    private static func value(depth: Int, _ generator: inout SeededGenerator) -> String {
        func blank() -> String { ["", "", " ", "\n\t"].randomElement(using: &generator) ?? "" }
        func string() -> String {
            let pieces = ["a", "name", "찻잔", "👍", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\uD83D\\uDC4D", " ", "é"]
            let chosen = (0..<Int.random(in: 0..<4, using: &generator)).compactMap { _ in
                pieces.randomElement(using: &generator)
            }
            return "\"\(chosen.joined())\""
        }
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
        case 0: return "null"
        case 1: return Bool.random(using: &generator) ? "true" : "false"
        case 2: return string()
        case 3: return String(Int64.random(in: -100_000...100_000, using: &generator))
        case 4:
            let numbers = ["0", "-0", "1.50", "6.0E7", "16.99", "1e-3", "9223372036854775807", "0.1e+2"]
            return numbers.randomElement(using: &generator) ?? "0"
        case 5:
            let elements = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                blank() + value(depth: depth - 1, &generator) + blank()
            }
            return "[\(elements.joined(separator: ","))]"
        default:
            let members = (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                blank() + string() + blank() + ":" + blank() + value(depth: depth - 1, &generator)
            }
            return "{\(members.joined(separator: ","))}"
        }
    }
}
