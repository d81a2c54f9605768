package enum YAMLEventKind: Hashable, Sendable {
    case streamStart
    case streamEnd
    /// The beginning of a document, with or without `---`.
    case documentStart
    case documentEnd
    /// `*name`.
    case alias
    /// A text in any style.
    case scalar
    case sequenceStart
    case sequenceEnd
    case mappingStart
    case mappingEnd
}

package enum YAMLScalarStyle: Hashable, Sendable {
    /// Without quotes: only in this style YAML distinguishes numbers, booleans and null from texts.
    case plain
    /// `'…'`
    case singleQuoted
    /// `"…"`, the only style that can contain control characters.
    case doubleQuoted
    /// `|`
    case literal
    /// `>`
    case folded
}
