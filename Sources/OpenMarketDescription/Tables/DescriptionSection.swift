import YAML

/// A mapping of a description, with its table as static members.
protocol DescriptionSection: Equatable, Sendable {
    /// The initial section, before anything is read.
    init()
    /// Its path in a description: `list.page.keyset`.
    static var title: String { get }
    /// Its keys, in the order of the reference.
    static var keys: [SectionKey<Self>] { get }
    /// Rules about keys that require or exclude each other.
    static var rules: [SectionRule] { get }
    /// Messages for keys that people try here but that do not exist.
    static var refused: [String: String] { get }
}

extension DescriptionSection {
    static var rules: [SectionRule] { [] }
    static var refused: [String: String] { [:] }
    static var table: Section<Self> { Section(title, Self(), keys, rules: rules, refused: refused) }
}
