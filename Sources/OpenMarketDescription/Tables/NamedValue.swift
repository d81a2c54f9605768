import YAML

/// A name and its value in a mapping with names that the language does not define.
package struct NamedValue<Name, Value> {
    package var name: Name
    package var value: Value
}

extension NamedValue: Equatable where Name: Equatable, Value: Equatable {}
extension NamedValue: Sendable where Name: Sendable, Value: Sendable {}

extension Shape {
    /// A mapping from names to values, in the order of the text.
    static func mapping<Name, Element>(
        _ name: NameShape<Name>,
        _ element: Shape<Element>
    ) -> Shape where Value == [NamedValue<Name, Element>] {
        mapping(name, element) { NamedValue(name: $0, value: $1) }
    }
}
