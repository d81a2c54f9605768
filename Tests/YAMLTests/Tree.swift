@testable import OpenMarket
@testable import YAML

extension YAMLNode {
    /// The node on one line, with the marks of every scalar.
    var dump: String {
        let tag = tag.map { "<\($0)>" } ?? ""
        return switch content {
        case .scalar(let text, let style):
            tag + "\(text.debugDescription)" + (style == .plain ? "" : "/\(style)") + "@\(start.line):\(start.column)"
        case .sequence(let items): tag + "[" + items.map(\.dump).joined(separator: ", ") + "]"
        case .mapping(let pairs):
            tag + "{" + pairs.map { "\($0.key.name): \($0.value.dump)" }.joined(separator: ", ") + "}"
        }
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
