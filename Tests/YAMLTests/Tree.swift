@testable import OpenMarket
@testable import YAML

extension YAMLNode {
    /// The node on one line, with the marks of every scalar.
    var dump: String {
        let tag = tag.map { "<\($0)>" } ?? ""
        if let items { return tag + "[" + items.map(\.dump).joined(separator: ", ") + "]" }
        if let pairs {
            return tag + "{" + pairs.map { "\($0.key.name): \($0.value.dump)" }.joined(separator: ", ") + "}"
        }
        let text = (text ?? "").debugDescription
        return tag + text + (style == .plain ? "" : "/\(style)") + "@\(start.line):\(start.column)"
    }
}

/// The tree of a text, or the error.
func parsed(_ text: String, limits: YAMLLimits = YAMLLimits()) -> String {
    do throws(YAMLError) {
        return try YAMLNode.parse(Array(text.utf8), limits: limits)?.dump ?? "nothing"
    } catch {
        return "error: \(error)" + (error.help.map { "; " + $0 } ?? "")
    }
}
