package enum YAMLEventKind: Hashable, Sendable {
    case streamStart
    case streamEnd
    /// A document begins, with or without `---`.
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
    /// Bare: the only style in which YAML distinguishes numbers, booleans and null from texts.
    case plain
    /// `'…'`
    case singleQuoted
    /// `"…"`, the only style that can hold control characters.
    case doubleQuoted
    /// `|`
    case literal
    /// `>`
    case folded
}
