import OpenMarket

/// Operations that do the same to many products: one line of a review.
struct EqualEdits {
    /// From so many on, equal edits are shown together; fewer are read one by one.
    static let fewest = 20

    /// The operations; one where nothing is like it.
    let items: [PlanReview.Item]

    /// The first of them, which stands for all.
    let first: PlanReview.Item

    private init(_ first: PlanReview.Item, _ items: [PlanReview.Item]) {
        self.first = first
        self.items = items
    }

    /// Whether it is more than one product's.
    var isMany: Bool { items.count > 1 }

    /// Puts equal edits together where there are many.
    ///
    /// - Parameters:
    ///   - items: The operations.
    ///   - likeness: What equal edits have in common; `nil` for one that stands for itself.
    /// - Returns: The edits, each at the place of its first operation.
    static func grouped(_ items: [PlanReview.Item], by likeness: (PlanReview.Item) -> [String]?) -> [EqualEdits] {
        let likenesses = items.map(likeness)
        var groups: [[String]: [PlanReview.Item]] = [:]
        if items.count >= fewest {
            for case (let item, let likeness?) in zip(items, likenesses) { groups[likeness, default: []].append(item) }
        }
        return zip(items, likenesses).compactMap { item, likeness in
            guard let group = likeness.flatMap({ groups[$0] }), group.count >= fewest else {
                return EqualEdits(item, [item])
            }
            return group.first?.index == item.index ? EqualEdits(item, group) : nil
        }
    }

    /// What two operations have in common that change their products alike: prices by the same share, stocks to the same
    /// number, texts and pictures from the same to the same.
    static func likeness(_ operation: PlannedOperation, _ changes: [FieldChange]) -> [String] {
        let texts = FieldValueText(reading: operation, limit: longestText)
        return changes.map { change in
            let old = change.live?.magnitude == nil ? texts.old(change) : "number"
            let new =
                switch change.field.kind {
                // The share and the currency. However far it ends, a sale ends.
                case .amount, .sale:
                    change.manifest == .sale(.fullPrice)
                        ? texts.new(change)
                        : operation.move(of: change)?.percent.map {
                            "\($0) \(operation.currencies.after?.rawValue ?? "")"
                        }
                            ?? texts.move(change)
                case .count: texts.new(change)
                case .text, .code, .images, .image: texts.move(change)
                }
            return "\(change.field.rawValue) \(change.kind.rawValue) \(old) \(new)"
        }
    }

    /// Longer texts are compared by their beginnings.
    private static let longestText = 100_000

    // MARK: - Ranges

    /// One of the values of all operations: the least and the greatest where they differ.
    func range(_ value: (PlannedOperation) -> FieldValue?, _ currency: Currency?, limit: Int) -> String {
        let texts = FieldValueText(reading: first.operation, limit: limit)
        let values = items.map { value($0.operation) }
        let sorted = values.compactMap { value in value?.magnitude.map { (number: $0, value: value) } }
            .sorted { $0.number < $1.number }
        guard let least = sorted.first, let greatest = sorted.last, least.number != greatest.number else {
            return texts.money(value(first.operation), currency)
        }
        return "\(texts.text(least.value))–\(texts.money(greatest.value, currency))"
    }

    /// The percentages of a move: the least and the greatest where they differ.
    func percents(_ move: (PlannedOperation) -> PriceMove?) -> String? {
        let points = items.compactMap { move($0.operation)?.basisPoints }.sorted()
        guard let least = points.first, let greatest = points.last else { return nil }
        let ends = [least, greatest].map(PriceMove.percentage)
        return ends[0] == ends[1] ? ends[0] : "\(ends[0]) to \(ends[1])"
    }

    /// From the values that the market showed to those that the manifest wants, of a change of the first operation.
    func move(_ change: FieldChange, limit: Int) -> String {
        guard isMany else { return FieldValueText(reading: first.operation, limit: limit).move(change) }
        func other(_ operation: PlannedOperation) -> FieldChange? {
            operation.changes.first { $0.field == change.field }
        }
        let (before, after) = first.operation.currencies
        return
            "\(range({ other($0)?.live }, before, limit: limit)) → \(range({ other($0)?.manifest }, after, limit: limit))"
    }
}

extension FieldValue {
    /// The number that it is.
    fileprivate var magnitude: ExactDecimal? {
        if case .integer(let number) = self { ExactDecimal(number) } else { amount }
    }
}
