/// A value of a YAML text, with the place where it stands; aliases are resolved and merge keys merged.
public struct YAMLNode: Sendable {
    /// What the node is.
    public enum Content: Sendable {
        /// A text: YAML's own types are left to whoever knows what is expected.
        case scalar(String, YAMLScalarStyle)
        /// A list.
        case sequence([YAMLNode])
        /// A mapping in the order of the text; its keys differ.
        case mapping([Pair])
    }

    /// An entry of a mapping.
    public struct Pair: Sendable {
        /// The key.
        public var key: Key
        /// The value.
        public var value: YAMLNode
    }

    /// The key of an entry.
    public struct Key: Sendable {
        /// The key.
        public var name: String
        /// Where it starts.
        public var start: YAMLMark
        /// Where it ends.
        public var end: YAMLMark
        /// Whether it is written bare.
        public var isPlain: Bool
    }

    /// What the node is.
    public var content: Content
    /// The tag, if one is written: `!env`.
    public var tag: String?
    /// Where it starts: at the anchor, for what came through an alias.
    public var start: YAMLMark
    /// Where it ends.
    public var end: YAMLMark

    /// Puts a node together.
    public init(content: Content, tag: String? = nil, start: YAMLMark, end: YAMLMark) {
        self.content = content
        self.tag = tag
        self.start = start
        self.end = end
    }

    /// The text of a scalar.
    public var text: String? {
        if case .scalar(let text, _) = content { text } else { nil }
    }

    /// The items of a list.
    public var items: [YAMLNode]? {
        if case .sequence(let items) = content { items } else { nil }
    }

    /// The entries of a mapping.
    public var pairs: [Pair]? {
        if case .mapping(let pairs) = content { pairs } else { nil }
    }

    /// Whether it is what YAML reads as null: nothing, `~` or `null`, bare and without a tag.
    public var isNull: Bool {
        guard case .scalar(let text, .plain) = content, text.utf8.count <= 4 || tag != nil else { return false }
        if tag == "tag:yaml.org,2002:null" { return true }
        return tag == nil && (text.isEmpty || text == "~" || text == "null" || text == "Null" || text == "NULL")
    }

    /// The value of a key, `nil` where the node is no mapping or has no such key.
    public subscript(key: String) -> YAMLNode? {
        pairs?.first { $0.key.name == key }?.value
    }

    /// Reads a small text whole.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, or UTF-16 with a byte order mark.
    ///   - limits: what to refuse.
    /// - Returns: the only document, `nil` when there is none.
    /// - Throws: the first thing that is wrong with it.
    public static func parse(_ bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) throws(YAMLError) -> YAMLNode? {
        var composer = try YAMLComposer(YAMLEventReader(bytes, limits: limits))
        guard try composer.start() else { return nil }
        let node = try composer.compose()
        try composer.finish()
        if let fault = composer.takeFaults().first { throw fault }
        return node
    }
}
