import OpenMarket

/// Operations that change many products in the same way: one line of a review.
struct EqualEdits {
    /// The smallest number of equal edits that are shown together.
    static let fewest = 20

    let first: PlanReview.Item
    /// The operations; just one if no other is equal.
    let items: [PlanReview.Item]

    var isMany: Bool { items.count > 1 }

    /// Groups equal edits if there are many, each group at the position of its first operation.
    ///
    /// An operation without a likeness (`nil`) stays alone.
    static func grouped(_ items: [PlanReview.Item], by likeness: (PlanReview.Item) -> [String]?) -> [EqualEdits] {
        let likenesses = items.map(likeness)
        var groups: [[String]: [PlanReview.Item]] = [:]
        if items.count >= fewest {
            for case (let item, let likeness?) in zip(items, likenesses) { groups[likeness, default: []].append(item) }
        }
        return zip(items, likenesses).compactMap { item, likeness in
            guard let group = likeness.flatMap({ groups[$0] }), group.count >= fewest else {
                return EqualEdits(first: item, items: [item])
            }
            return group.first?.index == item.index ? EqualEdits(first: item, items: group) : nil
        }
    }

    /// The common part of two operations with the same effect.
    ///
    /// It is the same price share, the same new stock, or the same old and new text or pictures.
    static func likeness(_ operation: PlannedOperation, _ changes: [FieldChange]) -> [String] {
        let texts = FieldValueText(reading: operation, limit: longestText)
        return changes.map { change in
            let old = change.live?.magnitude == nil ? texts.old(change) : "number"
            let new =
                switch change.field.kind {
                // The share and the currency; an ended sale is the same edit whatever its amount.
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

    /// One value of all operations: the smallest and the largest if they differ.
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

    /// The percentages of a move: the smallest and the largest if they differ.
    func percents(_ move: (PlannedOperation) -> PriceMove?) -> String? {
        let points = items.compactMap { move($0.operation)?.basisPoints }.sorted()
        guard let least = points.first, let greatest = points.last else { return nil }
        let ends = [least, greatest].map(PriceMove.percentage)
        return ends[0] == ends[1] ? ends[0] : "\(ends[0]) to \(ends[1])"
    }

    /// The values of the market and those of the manifest, for a change of the first operation.
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
    fileprivate var magnitude: ExactDecimal? {
        if case .integer(let number) = self { ExactDecimal(number) } else { amount }
    }
}
