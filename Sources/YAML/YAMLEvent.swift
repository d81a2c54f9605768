/// The kinds of event that a YAML text consists of.
package enum YAMLEventKind: Hashable, Sendable {
    /// The first event of every text.
    case streamStart
    /// The last event of every text.
    case streamEnd
    /// A document begins, with or without `---`.
    case documentStart
    /// A document ends.
    case documentEnd
    /// `*name`.
    case alias
    /// A text in any style.
    case scalar
    /// A list begins.
    case sequenceStart
    /// A list ends.
    case sequenceEnd
    /// A mapping begins.
    case mappingStart
    /// A mapping ends.
    case mappingEnd
}

/// How a scalar is written.
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
