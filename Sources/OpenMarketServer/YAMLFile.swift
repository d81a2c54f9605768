import FoundationEssentials
import OpenMarket
import YAML

/// A mapping of a YAML file, read key by key, with the position in every error.
struct YAMLFile {
    let file: String
    let node: YAMLNode

    init(_ bytes: [UInt8], file: String) throws(ServerError) {
        let parsed: YAMLNode?
        do {
            parsed = try YAMLNode.parse(bytes)
        } catch {
            throw ServerError(.input, "\(file)\(Self.position(error.position)): \(error.message)")
        }
        guard let parsed else { throw ServerError(.input, "\(file): the file is empty") }
        self.init(parsed, file: file)
        guard node.pairs != nil else { throw fault("a mapping is expected") }
    }

    init(_ node: YAMLNode, file: String) {
        self.node = node
        self.file = file
    }

    func fault(_ message: String) -> ServerError {
        ServerError(.input, "\(file)\(Self.position(node.start)): \(message)")
    }

    /// Refuses unknown keys, so that a misspelt rule is not taken for one that never fires.
    func allow(_ keys: [String]) throws(ServerError) {
        guard let pairs = node.pairs else { throw fault("a mapping is expected") }
        for pair in pairs where !keys.contains(pair.key.name) {
            throw ServerError(
                .input,
                "\(file)\(Self.position(pair.key.start)): unknown key '\(pair.key.name)', known are "
                    + keys.joined(separator: ", ")
            )
        }
    }

    subscript(key: String) -> YAMLFile? {
        node[key].map { YAMLFile($0, file: file) }
    }

    func required(_ key: String) throws(ServerError) -> YAMLFile {
        guard let value = self[key] else { throw fault("'\(key)' is missing") }
        return value
    }

    func list() throws(ServerError) -> [YAMLFile] {
        guard let items = node.items else { throw fault("a list is expected") }
        return items.map { YAMLFile($0, file: file) }
    }

    /// A text; with the tag `!env` the value of that environment variable.
    func text() throws(ServerError) -> String {
        guard let text = node.text else { throw fault("a text is expected") }
        guard node.tag == "!env" else { return text }
        guard let value = ProcessInfo.processInfo.environment[text] else {
            throw fault("the environment variable \(text) is not set")
        }
        return value
    }

    func integer(in range: ClosedRange<Int> = 0...Int.max) throws(ServerError) -> Int {
        guard let value = node.text.flatMap({ Int($0) }), range.contains(value) else {
            throw fault(
                "an integer from \(range.lowerBound)\(range.upperBound == .max ? "" : " to \(range.upperBound)") is expected"
            )
        }
        return value
    }

    /// A duration such as `250ms` or `1.5s`.
    func duration() throws(ServerError) -> Duration {
        let text = node.text ?? ""
        if text.hasSuffix("ms"), let milliseconds = Double(text.dropLast(2)), (0...1e9).contains(milliseconds) {
            return .milliseconds(milliseconds)
        }
        if text.hasSuffix("s"), let seconds = Double(text.dropLast()), (0...1e6).contains(seconds) {
            return .seconds(seconds)
        }
        throw fault("a duration such as 250ms or 2s is expected")
    }

    private static func position(_ mark: SourcePosition?) -> String {
        mark.map { ":\($0.line):\($0.column)" } ?? ""
    }
}
