import YAML

extension MarketDescription {
    /// A condition on a value in a row, a page or a reply.
    package struct Condition: Equatable, Sendable {
        package var place = JSONPointer.whole
        package var test: Test?

        package enum Test: Equatable, Sendable {
            case equals(Literal)
            /// The value differs or is absent.
            case differs(Literal)
            case isOneOf([Literal])
            /// Whether the value must be present and not null; if false, it must not be.
            case isPresent(Bool)
        }
    }
}

extension MarketDescription.Condition: DescriptionSection {
    static var title: String { "condition" }

    static var keys: [SectionKey<Self>] {
        [.required("at", \.place, .pointer, "The place.")] + tests(\.self)
    }

    static var rules: [SectionRule] { [testRule] }

    /// The tests as keys of a section that contains a condition.
    static func tests<Section>(_ condition: WritableKeyPath<Section, Self>) -> [SectionKey<Section>] {
        let test = condition.appending(path: \.test)
        return [
            SectionKey("is", .literal, "It holds this.") { $0[keyPath: test] = .equals($1) },
            SectionKey("is_not", .literal, "It holds something else, or is missing.") {
                $0[keyPath: test] = .differs($1)
            },
            SectionKey("one_of", .list(.literal), "It holds one of these.") { $0[keyPath: test] = .isOneOf($1) },
            SectionKey("present", .boolean, "`true`: it is present and not null; `false`: it is missing or null.") {
                $0[keyPath: test] = .isPresent($1)
            },
        ]
    }

    static let testNames = ["is", "is_not", "one_of", "present"]
    static var testRule: SectionRule { .exactlyOne(testNames) }
}

extension Optional<MarketDescription.Condition> {
    /// The condition while its keys are being read.
    var begun: MarketDescription.Condition {
        get { self ?? MarketDescription.Condition() }
        set { self = newValue }
    }
}
