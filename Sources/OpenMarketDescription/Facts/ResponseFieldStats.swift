package import OpenMarket

/// Statistics of a market's replies by member: frequency, kinds, sample values, and members that the description does
/// not name.
///
/// People inspect them; the client does not use them to read products. They keep counts and a few values, not rows.
package struct ResponseFieldStats: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case text, number, boolean, object, array, null
    }

    package struct Sighting: Equatable, Sendable {
        /// The field's name, or the member's path; `*` is any array element.
        package var name: String
        /// The number of rows or replies that contain it, null included.
        package var count = 0
        /// The number of rows or replies with a value that is not null.
        package var filled = 0
        /// The most frequent first.
        package var kinds: [Kind] {
            counts.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }.map(\.key)
        }
        /// Distinct values in JSON, at most ``ResponseFieldStats/samples``.
        package var samples: [String] = []
        fileprivate var counts: [Kind: Int] = [:]

        fileprivate mutating func add(_ values: [JSONValue]) {
            guard !values.isEmpty else { return }
            count += 1
            if values.contains(where: { !$0.isNull }) { filled += 1 }
            for kind in Set(values.map(Kind.init)) { counts[kind, default: 0] += 1 }
            for value in values where samples.count < ResponseFieldStats.samples && !value.isNull {
                let sample = ResponseFieldStats.sample(value)
                if !samples.contains(where: { $0.isExactly(sample) }) { samples.append(sample) }
            }
        }
    }

    /// The number of sample values kept for each.
    static let samples = 3
    /// The maximum number of members counted; further ones appear in none of the lists.
    static let mostMembers = 2000

    package private(set) var pages = 0
    /// The number of rows; a row that two pages show counts twice.
    package private(set) var rows = 0
    /// In the description's order.
    package private(set) var fields: [Sighting]
    /// Members of rows that the description does not name.
    package var unnamedInRows: [Sighting] { rowMembers.list.filter { !isNamed($0.name, by: rowPointers) } }
    /// Members of pages, outside their rows, that the description does not name.
    package var unnamedInPages: [Sighting] { pageMembers.list.filter { !isNamed($0.name, by: pagePointers) } }

    private let market: MarketDescription
    private let parameters: [String: String]
    private let places: [Place]
    private let rowPointers: [[String]]
    private let writtenPointers: [[String]]
    private let pagePointers: [[String]]
    private var rowMembers = Members()
    private var pageMembers = Members()

    package init(_ market: MarketDescription, parameters: [String: String] = [:]) {
        self.market = market
        self.parameters = parameters
        places = Place.all(of: market)
        fields = places.map { Sighting(name: $0.name) }
        let steps = { (pointer: JSONPointer) in pointer.names(parameters) }
        rowPointers = places.flatMap { $0.pointers(parameters) } + (market.list.order?.keys ?? []).map(steps)
        let written =
            market.fields.order.compactMap { market.fields.place(of: $0)?.writing }
            + [market.pictures?.written?.place].compactMap(\.self)
        writtenPointers = written.map(steps)
        pagePointers = (market.list.rows + market.list.bodyPointers.map(\.pointer)).map(steps)
    }

    /// Counts a page of the list; ignores other bodies.
    package mutating func add(page body: JSONValue) {
        guard let found = market.list.rows.compactMap({ value(at: $0, in: body) }).first(where: { !$0.isNull }),
            let elements = found.elements
        else { return }
        pages += 1
        if found != body {
            // The body itself may be the list; its other members still count.
            let rows = market.list.rows.map { $0.names(parameters) }.filter { !$0.isEmpty }
            pageMembers.add(body, leaving: rows)
        }
        for row in elements {
            rows += 1
            for (index, place) in places.enumerated() { fields[index].add(values(of: place, in: row)) }
            rowMembers.add(row, leaving: [])
        }
    }

    /// The paths of a product's members that have a value and that the description does not name.
    package func unnamed(in product: JSONValue) -> Set<String> {
        var members = Members()
        members.add(product, leaving: [])
        let filled = members.list.filter { !$0.samples.allSatisfy(["\"\"", "[]", "{}"].contains) }
        return Set(filled.map(\.name).filter { !isNamed($0, by: rowPointers + writtenPointers) })
    }

    // MARK: Positions

    /// A value that the description names in a row.
    private struct Place {
        var name: String
        /// The first that is present and not null counts.
        var alternatives: [JSONPointer]
        var item: MarketDescription.Place.Item?
        /// Other pointers, read in the element or next to it.
        var others: [JSONPointer] = []
        /// Pointers within the elements of ``alternatives``.
        var inside: [JSONPointer] = []

        static func all(of market: MarketDescription) -> [Place] {
            let identity = market.identity
            var places = [Place(name: "id", alternatives: [identity.id.place])]
            if let owner = identity.owner { places.append(Place(name: "owner", alternatives: owner.places)) }
            if let key = identity.key { places.append(Place(name: "key", alternatives: [key.place])) }
            for (index, condition) in identity.ours.enumerated() {
                places.append(Place(name: "ours[\(index)]", alternatives: [condition.place]))
            }
            for (index, condition) in identity.absent.enumerated() {
                places.append(Place(name: "absent[\(index)]", alternatives: [condition.place]))
            }
            for name in market.fields.order {
                guard let place = market.fields.place(of: name) else { continue }
                var reading = place.reading
                if name == .sale, let shown = market.fields.sale?.shown, !shown.isEmpty { reading = shown.map(\.place) }
                guard !reading.isEmpty else { continue }
                places.append(
                    Place(
                        name: name.rawValue,
                        alternatives: reading,
                        item: place.item,
                        others: place.companions.map(\.name)
                    )
                )
            }
            if let shown = market.pictures?.shown {
                places.append(
                    Place(
                        name: "images",
                        alternatives: [shown.place],
                        others: [shown.thumbnails].compactMap(\.self),
                        inside: [shown.id, shown.url, shown.thumbnail].compactMap(\.self)
                    )
                )
            }
            return places
        }

        /// All pointers that it names in a row, with `*` for an array element.
        func pointers(_ parameters: [String: String]) -> [[String]] {
            var within = inside
            if let item { within += [item.place, item.inside] }
            let places = alternatives.map { $0.names(parameters) }
            let all =
                within.isEmpty
                ? places
                : places.flatMap { place in
                    // A single picture is not in an array.
                    within.flatMap { [place + ["*"] + $0.names(parameters), place + $0.names(parameters)] }
                }
            return all + others.map { $0.names(parameters) }
        }
    }

    /// The values that a row shows for it: at most one.
    private func values(of place: Place, in row: JSONValue) -> [JSONValue] {
        let found = place.alternatives.compactMap { value(at: $0, in: row) }
        guard let chosen = found.first(where: { !$0.isNull }) ?? found.first else { return [] }
        guard let item = place.item else { return [chosen] }
        guard let wanted = FilledLiteral(item.value, parameters) else { return [] }
        return (chosen.elements ?? [])
            .filter { value(at: item.place, in: $0).map { wanted.matches($0) } ?? false }
            .compactMap { value(at: item.inside, in: $0) }
    }

    private func value(at pointer: JSONPointer, in document: JSONValue) -> JSONValue? {
        pointer.value(in: document, parameters, isLoose: market.names == .loose)
    }

    private func isSame(_ name: String, _ step: String) -> Bool {
        market.names == .exact ? name.isExactly(step) : MemberNames.areAlike(name, step)
    }

    /// Whether a pointer names a member, a part of it, or a container of it.
    private func isNamed(_ path: String, by pointers: [[String]]) -> Bool {
        let steps = JSONPointer.steps(in: path)
        return pointers.contains { pointer in
            // A pointer to the whole body, or to a row that is not an object, covers no members.
            !pointer.isEmpty && !steps.isEmpty
                && zip(steps, pointer).allSatisfy { step, named in
                    step == "*" && (named == "*" || Int(named) != nil) || isSame(step, named)
                }
        }
    }

    // MARK: Members

    /// The members of values by their paths.
    private struct Members {
        private(set) var list: [Sighting] = []
        private var indices: [String: Int] = [:]

        mutating func add(_ value: JSONValue, leaving left: [[String]]) {
            var found: [(path: String, values: [JSONValue])] = []
            var places: [String: Int] = [:]
            func visit(_ value: JSONValue, _ path: [String]) {
                guard !left.contains(path), path.count <= JSONPointer.longest else { return }
                switch value {
                case .object(let members) where !members.isEmpty:
                    for member in members { visit(member.value, path + [member.name]) }
                case .array(let elements) where !elements.isEmpty:
                    for element in elements.prefix(JSONPointer.lastIndex + 1) { visit(element, path + ["*"]) }
                default:
                    let text = JSONPointer(tokens: path.map { .member($0) }).description
                    if let place = places[text] {
                        found[place].values.append(value)
                    } else {
                        places[text] = found.count
                        found.append((text, [value]))
                    }
                }
            }
            visit(value, [])
            for (path, values) in found {
                if indices[path] == nil, list.count < ResponseFieldStats.mostMembers {
                    indices[path] = list.count
                    list.append(Sighting(name: path))
                }
                if let index = indices[path] { list[index].add(values) }
            }
        }
    }

    fileprivate static func sample(_ value: JSONValue) -> String {
        let text = String(decoding: value.bytes(), as: UTF8.self).masked
        return text.unicodeScalars.count <= 60 ? text : String(text.unicodeScalars.prefix(59)) + "…"
    }
}

extension ResponseFieldStats.Kind {
    fileprivate init(_ value: JSONValue) {
        self =
            switch value {
            case .string: .text
            case .number, .unrepresentableNumber: .number
            case .bool: .boolean
            case .object: .object
            case .array: .array
            case .null: .null
            }
    }
}

extension JSONPointer {
    /// The steps of a path; any may be `*`.
    fileprivate static func steps(in path: String) -> [String] {
        path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0).replacing("~1", with: "/").replacing("~0", with: "~")
        }
    }
}
