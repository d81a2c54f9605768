/// Tables with another market's ids, and columns that slid: cells in the row of another product.
extension Planner {
    /// The least number of products that distinguishes a damaged table from an edit.
    private static let leastTelling = 3

    // MARK: Another market's ids

    /// Refuses a plan in which rows that are matched by their ids belong to another market.
    ///
    /// Either the certificate beside the table shows it, or the rows describe other products. Ids are small numbers, so
    /// the rows of one shop's table match products of every other shop. A row is of another product if neither name,
    /// description nor price agrees, and the names not even in part: an edit of many names keeps a part of them, or the
    /// prices. The refusal needs three such rows, and more than half of those with a name: fewer are manual edits.
    mutating func refuseOtherMarketsIDs() {
        let written = plan.operations.filter { $0.source?.table != nil && $0.id != nil }
        guard !written.isEmpty else { return }
        let listings = input.manifest.listings
        var rows: [String: Int] = [:]
        for index in listings.indices {
            guard listings.row(at: index) != nil, let id = listings.pinnedID(at: index), input.live.products[id] != nil
            else { continue }
            rows[listings.key(at: index)] = index
        }
        for export in input.manifest.exports where !isOfThisMarket(export) {
            guard
                let first = written.first(where: {
                    rows[$0.key] != nil && $0.source?.file.isExactly(export.file) == true
                }),
                let id = first.id
            else { continue }
            plan.refusals.append(
                PlanRefusal(
                    "\(export.file) is an export of \(export.url) (\(export.name)), as its certificate says, "
                        + "and its ids would change products of this market, such as product \(id)",
                    override: .otherMarketsIDs,
                    source: first.source
                )
            )
            return
        }
        refuseUnprovedIDs(
            written.filter { $0.action == .adopt && rows[$0.key].map { listings.name(at: $0) == nil } ?? false }
        )
        let strange = written.filter { operation in
            rows[operation.key].map { operation.isStrange(to: listings[$0].values) } ?? false
        }
        guard strange.count >= Self.leastTelling,
            strange.count * 2 > rows.values.count(where: { listings.name(at: $0) != nil }),
            let first = strange.first, let id = first.id
        else { return }
        plan.refusals.append(
            PlanRefusal(
                "\(strange.count) of \(counted(rows.count, "row")) are found by their ids and describe other products, "
                    + "'\(first.key)' product \(id): the ids are probably another market's",
                override: .otherMarketsIDs,
                source: first.source
            )
        )
    }

    /// Refuses rows that take products over by nothing but a number, which fits a product of every other shop, too.
    private mutating func refuseUnprovedIDs(_ adoptions: [PlannedOperation]) {
        let unproved = adoptions.filter { operation in
            guard let id = operation.id, let source = operation.source else { return false }
            return input.live.products[id]?.key != operation.key
                && !input.manifest.exports.contains { $0.file.isExactly(source.file) }
        }
        guard !options.adopts, let first = unproved.first, let id = first.id else { return }
        let what = unproved.count == 1 ? "a product is" : "\(unproved.count) products are"
        plan.refusals.append(
            PlanRefusal(
                "\(what) to be taken over by nothing but an id, such as product \(id), and nothing says that the table is "
                    + "this market's",
                override: .unprovedIDs,
                source: first.source
            )
        )
    }

    /// Whether an export is of this run's market: another variant of its API shows the same products.
    private func isOfThisMarket(_ export: ExportedTable) -> Bool {
        let market = input.manifest.market
        guard market.url?.isExactly(export.url) ?? true else { return false }
        guard let profile = market.profile else { return true }
        if let other = export.profile, profile.isBuiltIn {
            return profile.capabilities.hasItemPasswords == other.capabilities.hasItemPasswords
        }
        return profile.name.isExactly(export.name)
            && MarketParameters.areSame(profile.parameters, export.parameters)
    }

    // MARK: Slid columns

    /// Refuses a plan in which rows of a table get the values of other rows: a column slid, or was sorted without the
    /// others.
    ///
    /// Names and descriptions are compared between all products. A price or a stock may equal another product's by
    /// chance, so for these every change of the column counts, and at least three values are needed.
    mutating func refuseSlidColumns() {
        for field in [ProductField.price, .salePrice, .stock, .images] {
            var files: [String: [Int]] = [:]
            for (index, operation) in plan.operations.enumerated() {
                guard let source = operation.source, source.table != nil,
                    operation.changes.contains(where: { $0.field == field })
                else { continue }
                files[source.file, default: []].append(index)
            }
            for (_, changed) in files.sorted(by: { $0.key < $1.key }) { refuseSlidColumn(field, changed) }
        }
    }

    private mutating func refuseSlidColumn(_ field: ProductField, _ changed: [Int]) {
        guard changed.count >= Self.leastTelling else { return }
        var changes: [String: (old: FieldValue, new: FieldValue)] = [:]
        for index in changed {
            let operation = plan.operations[index]
            guard let change = operation.changes.first(where: { $0.field == field }),
                let old = change.live.flatMap({ $0.isComparable ? $0 : nil }) ?? change.base,
                let new = change.manifest
            else { return }
            changes[operation.key] = (old, new)
        }
        guard Set(changes.values.map(\.new)).count >= Self.leastTelling, !changes.values.moveAlike,
            changes.values.areReordered || isSlid(field, changes), let first = changed.first
        else { return }
        let operation = plan.operations[first]
        plan.refusals.append(
            PlanRefusal(
                "\(changed.count) products, '\(operation.key)' first, would get the \(field.rawValue) of other rows: "
                    + "probably the column slid, or was sorted without the others",
                override: .wanderingTexts,
                source: operation.source
            )
        )
    }

    /// Whether each changed row gets the old value of the row above it, or each that of the row below it.
    private func isSlid(_ field: ProductField, _ changes: [String: (old: FieldValue, new: FieldValue)]) -> Bool {
        let listings = input.manifest.listings
        let rows = listings.indices.filter { listings.row(at: $0) != nil }.map { index in
            let change = changes[listings.key(at: index)]
            return (old: change?.old ?? listings[index].values[field], new: change?.new)
        }
        let below = zip(rows, rows.dropFirst())
        return below.allSatisfy { $1.new == nil || $1.new == $0.old } && rows.first?.new == nil
            || below.allSatisfy { $0.new == nil || $0.new == $1.old } && rows.last?.new == nil
    }
}

extension FieldValue {
    /// Whether the market's value can be compared with others: pictures of unknown bytes cannot.
    fileprivate var isComparable: Bool {
        if case .images(let images) = self { images.digests != nil } else { true }
    }

    fileprivate var amount: ExactDecimal? {
        switch self {
        case .number(let number): number
        case .integer(let integer): ExactDecimal(significand: integer, scale: 0)
        case .sale(let sale): sale.salePrice
        case .text, .images, .image: nil
        }
    }
}

extension Collection<(old: FieldValue, new: FieldValue)> {
    fileprivate var areReordered: Bool {
        var counts: [FieldValue: Int] = [:]
        for value in self {
            counts[value.old, default: 0] += 1
            counts[value.new, default: 0] -= 1
        }
        return counts.values.allSatisfy { $0 == 0 }
    }

    /// Whether all numbers change by the same amount, as if all prices rise by 1 000.
    ///
    /// Beside a row that costs 1 000 more, each then gets the price of that row.
    fileprivate var moveAlike: Bool {
        let moves = map { value in value.new.amount.flatMap { new in value.old.amount.flatMap { new.subtracting($0) } }
        }
        return moves.first.flatMap(\.self).map { first in moves.allSatisfy { $0 == first } } ?? false
    }
}

extension PlannedOperation {
    /// Whether its product agrees with neither name, description nor price of a row.
    ///
    /// For a row that deletes its product, only the name counts.
    fileprivate func isStrange(to row: ProductValues) -> Bool {
        if case .delete(let deletion) = work {
            guard let said = row.name, let shown = deletion.live.name else { return false }
            return !shown.resembles(said)
        }
        for field in [ProductField.description, .price] where row[field] != nil {
            guard changes.contains(where: { $0.field == field }) else { return false }
        }
        guard let change = changes.first(where: { $0.field == .name }), case .text(let new)? = change.manifest,
            case .text(let old)? = change.live ?? change.base
        else { return false }
        return !old.resembles(new)
    }
}

extension String {
    /// Whether one text is part of the other, or a common prefix and suffix make up half of the shorter one.
    ///
    /// Digits and punctuation are ignored, because they number all kinds of products.
    fileprivate func resembles(_ other: String) -> Bool {
        let (left, right) = (lowercased().filter(\.isLetter), other.lowercased().filter(\.isLetter))
        let (shorter, longer) = left.count < right.count ? (left, right) : (right, left)
        guard !shorter.isEmpty, !longer.contains(shorter) else { return true }
        let prefix = zip(shorter, longer).prefix { $0 == $1 }.count
        let suffix = zip(shorter.reversed(), longer.reversed()).prefix { $0 == $1 }.count
        return (prefix + suffix) * 2 >= shorter.count
    }
}
