import FoundationEssentials
import OpenMarket
import YAML

extension Section {
    /// Reads a whole file; throws its first fault, with its position.
    func read(_ bytes: [UInt8], file: String) throws(ServerError) -> Value {
        do throws(Problem) {
            return try value(of: bytes)
        } catch {
            let place = SourceLocation(file: file, position: error.position)
            throw ServerError(.input, "\(place): \(error.message)" + (error.help.map { " (\($0))" } ?? ""))
        }
    }
}

extension Shape where Value == String {
    /// A text; with the tag `!env`, the value of that environment variable.
    static var textOrVariable: Shape {
        let written = Shape.written("a text")
        return Shape(written.words, written.kinds, schema: written.schema) { node, reader in
            let isVariable = node.tag == "!env" && node.kind == .scalar
            guard let name = isVariable ? node.text : written.read(node, &reader) else { return nil }
            let text = isVariable ? ProcessInfo.processInfo.environment[name] : name
            switch text {
            case nil: reader.report(.rule, "the environment variable \(name) is not set", at: node.start)
            case ""?: reader.report(.rule, "the text is empty", at: node.start)
            case let text? where text.holdsNull:
                reader.report(.rule, "the text holds the character U+0000", at: node.start)
            case let text?: return text
            }
            return nil
        }
    }
}
