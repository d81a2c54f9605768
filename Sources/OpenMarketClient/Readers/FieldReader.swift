import OpenMarket
import OpenMarketDescription

struct FieldReader: Sendable {
    enum Shown {
        /// A missing value, or one of the wrong kind.
        case missing
        /// An explicit statement that the field is unset.
        case unset
        /// Null, without a defined meaning of "no value".
        case null
        /// Two values instead of one.
        case ambiguous
        case value(ScalarSlot)
    }

    /// The further inputs to the value of a field that its first position alone does not decide.
    struct Rest: Sendable {
        /// The slots of the positions that count if earlier ones are empty.
        fileprivate var others: [Int] = []
        fileprivate var item: ItemReader?
        fileprivate var conditions: [CompiledCondition] = []
        fileprivate var unset: [FilledLiteral] = []
    }

    let first: Int
    /// Whether a value at the first position is the field's, regardless of everything else.
    let isDirect: Bool
    /// The index of its ``Rest`` in its reader, which saves reference counting in each row; -1 if it has none.
    private let rest: Int

    /// The field at a position, or at the first of some pointers that has it; `nil` if it is not read.
    init?(
        _ place: MarketDescription.Place? = nil,
        at pointers: [JSONPointer]? = nil,
        inside suffix: [String] = [],
        unset more: [Literal] = [],
        holdsNumbers: Bool = false,
        _ parameters: [String: String],
        _ builder: inout MemberTree.Builder,
        _ rests: inout [Rest],
        isLoose: Bool
    ) {
        // If there is an array element, the inner path belongs to it.
        let inside = place?.item == nil ? suffix : []
        let slots = (pointers ?? place?.reading ?? []).map { builder.slot(at: $0.names(parameters) + inside) }
        guard let first = slots.first else { return nil }
        self.first = first
        let conditions = (place?.companions ?? []).compactMap { companion in
            FilledLiteral(companion.value, parameters).map {
                CompiledCondition(slot: builder.slot(at: companion.name.names(parameters)), test: .equals($0))
            }
        }
        let unset = ([place?.unset].compactMap(\.self) + more).compactMap { FilledLiteral($0, parameters) }
            .map { holdsNumbers ? $0.asAmount : $0 }
        isDirect = place?.item == nil && conditions.isEmpty && unset.isEmpty
        guard !isDirect || slots.count > 1 else {
            rest = -1
            return
        }
        rest = rests.count
        rests.append(
            Rest(
                others: Array(slots.dropFirst()),
                item: place?.item.map { ItemReader($0, suffix, parameters, isLoose: isLoose) },
                conditions: conditions,
                unset: unset
            )
        )
    }

    /// The slots of the members that may contain it.
    func slots(_ rests: [Rest]) -> [Int] { [first] + (rest < 0 ? [] : rests[rest].others) }

    /// The text if the first position alone decides; otherwise use ``shown(_:_:)``.
    @inline(__always)
    func text(_ values: borrowing MemberValues) -> JSONText? { isDirect ? values.text(first) : nil }

    /// The number if the first position alone decides; otherwise use ``shown(_:_:)``.
    @inline(__always)
    func number(_ values: borrowing MemberValues) -> ExactDecimal? { isDirect ? values.number(first) : nil }

    /// Reads the field from a row's values; `rests` belong to the reader that the field was compiled for.
    func shown(_ values: borrowing MemberValues, _ rests: [Rest]) -> Shown {
        guard rest >= 0 else {
            let value = values[first]
            return switch value.kind {
            case .absent: .missing
            case .null: .null
            default: .value(value)
            }
        }
        let rest = rests[rest]
        guard rest.conditions.allSatisfy({ $0.holds(values) }) else { return .unset }
        var isNull = false
        var place = 0
        while place <= rest.others.count {
            var value = values[place == 0 ? first : rest.others[place - 1]]
            place += 1
            if let item = rest.item, value.isPresent {
                guard value.kind == .array else { return .value(value) }
                switch item.element(of: value.text) {
                case .value(let element): value = element
                case .ambiguous: return .ambiguous
                default: return .unset
                }
            }
            if !rest.unset.isEmpty, rest.unset.contains(where: { $0.matches(value) }) { return .unset }
            switch value.kind {
            case .absent: continue
            case .null: isNull = true
            default: return .value(value)
            }
        }
        return isNull ? .null : .missing
    }
}

/// Reads one element of an array: the one that meets a condition.
struct ItemReader: Sendable {
    private let tree: MemberTree
    private let key: Int
    private let value: Int
    private let literal: FilledLiteral?

    init(
        _ item: MarketDescription.Place.Item,
        _ suffix: [String],
        _ parameters: [String: String],
        isLoose: Bool
    ) {
        var builder = MemberTree.Builder(isLoose: isLoose)
        key = builder.slot(at: item.place.names(parameters))
        value = builder.slot(at: item.inside.names(parameters) + suffix)
        tree = builder.tree()
        literal = FilledLiteral(item.value, parameters)
    }

    /// The value of the element; unset if no element matches, ambiguous if two do.
    ///
    /// The array's text must have been checked for its grammar.
    func element(of array: JSONText) -> FieldReader.Shown {
        guard let literal else { return .unset }
        var found = FieldReader.Shown.unset
        var values = MemberValues(for: tree)
        let isRead: Void? = try? array.read { reader throws(JSONError) in
            try reader.beginArray()
            while try reader.nextElement() {
                try tree.read(&reader, into: &values)
                guard literal.matches(values[key]) else { continue }
                if case .unset = found { found = .value(values[value]) } else { found = .ambiguous }
            }
        }
        return isRead == nil ? .unset : found
    }
}
