@testable import OpenMarket
@testable import OpenMarketManifest
@testable import OpenMarketTestSupport
@testable import YAML

/// A manifest as people write them: every style, comments, blank lines, anchors, either line end, with or without a mark.
struct RandomManifestText {
    /// A value of a product, and how it is written.
    struct Field {
        var key: String
        var text: String
        /// Whether the value is its own: no alias, none that another value uses.
        var isOwn: Bool
        /// The lines that say it, from 0.
        var lines: Range<Int>
    }

    private(set) var bytes: [UInt8] = []
    /// The fields of each product.
    private(set) var products: [[Field]] = []
    private var lines: [String] = []
    private let lineEnd: String

    init(_ random: inout SeededGenerator) {
        lineEnd = .random(using: &random) ? "\r\n" : "\n"
        lines.append("# A shop. 등")
        lines.append("x-price: &price 4321 # shared")
        lines.append("x-text: &text 'A text that is shared.'")
        lines.append("products:")
        let margin = .random(using: &random) ? "  " : ""
        for number in 0..<Int.random(in: 1...12, using: &random) {
            if .random(using: &random) { lines.append(margin + "# product \(number)") }
            if .random(using: &random) { lines.append("") }
            if Int.random(in: 0..<4, using: &random) == 0 {
                appendFlow(number, margin, &random)
            } else {
                appendBlock(number, margin, &random)
            }
        }
        var text = lines.joined(separator: lineEnd)
        if .random(using: &random) { text += lineEnd }
        bytes = (.random(using: &random) ? [0xEF, 0xBB, 0xBF] : []) + Array(text.utf8)
    }

    private mutating func appendBlock(_ number: Int, _ margin: String, _ random: inout SeededGenerator) {
        var fields: [Field] = []
        let dash = margin + "- " + (.random(using: &random) ? "  " : "")
        let indent = String(repeating: " ", count: dash.count)
        lines.append(dash + "key: k\(number)" + Self.comment(&random))
        for key in ["id", "name", "description", "price", "stock"].shuffled(using: &random) {
            if Int.random(in: 0..<5, using: &random) == 0 { lines.append(indent + "# about \(key)") }
            let start = lines.count
            let (text, written, isOwn) = value(of: key, number, inFlow: false, indent: indent.count, &random)
            let rows = written.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let gap = String(repeating: " ", count: Int.random(in: 1...3, using: &random))
            lines.append(indent + key + ":" + gap + rows[0] + Self.comment(&random))
            lines += rows.dropFirst()
            if rows.count > 1, .random(using: &random) { lines.append("") }
            fields.append(Field(key: key, text: text, isOwn: isOwn, lines: start..<lines.count))
        }
        products.append(fields)
    }

    private mutating func appendFlow(_ number: Int, _ margin: String, _ random: inout SeededGenerator) {
        var fields: [Field] = []
        var parts = ["key: k\(number)"]
        for key in ["id", "name", "description", "price", "stock"].shuffled(using: &random) {
            let (text, written, isOwn) = value(of: key, number, inFlow: true, indent: 0, &random)
            parts.append("\(key): \(written)")
            fields.append(Field(key: key, text: text, isOwn: isOwn, lines: lines.count..<lines.count + 1))
        }
        lines.append(margin + "- {" + parts.joined(separator: ", ") + "}" + Self.comment(&random))
        products.append(fields)
    }

    /// A value in one of the styles that hold it; anchored without an alias now and then.
    private func value(
        of key: String,
        _ number: Int,
        inFlow: Bool,
        indent: Int,
        _ random: inout SeededGenerator
    ) -> (text: String, written: String, isOwn: Bool) {
        let isShared = Int.random(in: 0..<6, using: &random) == 0
        switch key {
        case "id": return ("\(number + 1)", "\(number + 1)", true)
        case "price" where isShared: return ("4321", "*price", false)
        case "description" where isShared: return ("A text that is shared.", "*text", false)
        case "price", "stock":
            let text = String(Int.random(in: 0...9999, using: &random))
            return (text, .random(using: &random) ? text : ["'\(text)'", "&own-\(number) \(text)"][number % 2], true)
        default: break
        }
        let text = Self.text(of: key, &random)
        let yaml = YAMLText(text)
        var styles = [yaml.doubleQuoted]
        if let single = yaml.singleQuoted { styles.append(single) }
        if yaml.isPlain(inFlow: inFlow) { styles.append(text) }
        if !inFlow, key == "description" {
            for step in [1, 2, 5] {
                guard let literal = yaml.literal(indent: indent + step, step: step) else { continue }
                styles.append(literal)
                if !yaml.hasLineFeed { styles.append(">" + literal.dropFirst()) }
            }
        }
        return (text, styles.randomElement(using: &random) ?? yaml.doubleQuoted, true)
    }

    /// A name or description that a manifest takes.
    static func text(of key: String, _ random: inout SeededGenerator) -> String {
        let start = key == "name" ? "Lamp" : "A description"
        return start + (key == "name" ? RandomListings.line(&random) : RandomListings.text(&random))
    }

    private static func comment(_ random: inout SeededGenerator) -> String {
        ["", "", "  # a comment, 등", " # b"].randomElement(using: &random) ?? ""
    }
}
