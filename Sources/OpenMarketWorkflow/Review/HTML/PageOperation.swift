import OpenMarket

struct PageOperation {
    /// A filter for operations; an operation may be of several kinds.
    enum Kind: String, CaseIterable {
        case market
        case delete
        case replace
        case forget
        case price
        case stock
        case text
        case picture
        case create
        case adopt
        case rename

        var label: String {
            switch self {
            case .market: "changed on the market"
            case .delete: "delete"
            case .replace: "replace"
            case .forget: "forget"
            case .price: "prices"
            case .stock: "stock"
            case .text: "texts"
            case .picture: "pictures"
            case .create: "add"
            case .adopt: "adopt"
            case .rename: "rename"
            }
        }
    }

    private let item: PlanReview.Item
    private let isLinked: Bool
    let kinds: Set<Kind>

    private var operation: PlannedOperation { item.operation }

    /// Texts up to this length are shown in full.
    private static let shortText = 160
    /// The number of unchanged characters shown around a change of a text.
    private static let context = 60

    init(_ item: PlanReview.Item, isLinked: Bool) {
        self.item = item
        self.isLinked = isLinked
        kinds = Self.kinds(item.operation)
    }

    static func anchor(_ item: PlanReview.Item) -> String { item.operation.key.terminalSafe }

    private static func kinds(_ operation: PlannedOperation) -> Set<Kind> {
        var kinds: Set<Kind> = operation.renamedFrom == nil ? [] : [.rename]
        switch operation.action {
        case .create: return kinds.union([.create])
        case .adopt: kinds.insert(.adopt)
        case .delete: kinds.insert(.delete)
        case .forget: kinds.insert(.forget)
        case .replace: kinds.insert(.replace)
        case .update, .rename: break
        }
        for change in operation.changes {
            switch change.field.kind {
            case .text: kinds.insert(.text)
            case .amount, .sale, .code: kinds.insert(.price)
            case .count: kinds.insert(.stock)
            case .images, .image: kinds.insert(.picture)
            }
            if change.kind != .change { kinds.insert(.market) }
        }
        return kinds
    }

    // MARK: - Values

    func values(_ pictures: inout PagePictures, _ subject: ReviewSubject) -> [String: Any] {
        var values = head
        values["action"] = operation.action.rawValue
        values["anchor"] = isLinked ? Self.anchor(item) : nil
        values["kinds"] = kinds.map(\.rawValue).sorted().joined(separator: " ")
        values["index"] = item.index
        values["move"] = item.move.map { $0.basisPoints ?? .max }
        // Each field of an update shows its reason, except a changed key, which is not a field.
        let changesKey = operation.formerKey != nil || operation.renamedFrom != nil
        values["reason"] = operation.action == .update && !changesKey ? nil : operation.reason
        values["source"] = operation.source.map(\.description)
        // A missing product does not have a page to link to.
        values["address"] = operation.action == .forget ? nil : operation.id.flatMap(subject.address)
        values["fields"] = operation.action == .delete ? leaving : operation.changes.filter(isNews).map(field)

        if operation.action == .rename {
            values["vacant"] = "Only the key changes"
        } else if isAmongItsPictures, operation.pictureMoves.first?.isAlone != true {
            values["vacant"] = "See its pictures"
        } else {
            (values["mainPicture"], values["vacant"]) = pictures.mainPicture(operation.mainPicture)
        }
        return values
    }

    private var isAmongItsPictures: Bool {
        let mainPicture = operation.mainPicture
        return operation.pictureMoves.contains { $0.before == mainPicture || $0.after == mainPicture }
    }

    /// The values with the pictures that the main picture does not show.
    func pictured(_ values: [String: Any], _ pictures: inout PagePictures) -> [String: Any] {
        var values = values
        var moves = operation.pictureMoves
        if values["mainPicture"] != nil, isAmongItsPictures { moves.removeFirst() }
        let pictured = moves.map { pictures.values($0, link: Self.anchor(item).linkEscaped, label: label) }
        // Changed pictures show more than the product's name does.
        if !pictured.isEmpty { values["pictures"] = ["pairs": pictured] }
        return values
    }

    var finding: [String: Any] {
        let text = FieldValueText(reading: operation, limit: 40)
        var values = head
        let numbers = operation.changes.filter(\.field.kind.isShort)
        values["fields"] = operation.changes.filter { !$0.field.kind.isShort }.map(\.field.rawValue)
        values["moves"] = numbers.map { change -> [String: Any] in
            var move: [String: Any] = ["field": change.field.rawValue]
            move["isWorded"] = change.field.isWorded
            move["old"] = old(change, text)
            move["new"] = text.new(change)
            move["percent"] = operation.move(of: change)?.percent
            return move
        }
        return values
    }

    private var label: String {
        operation.name.map { $0.terminalSafe.abbreviated(to: 120) } ?? operation.key.abbreviated(to: 120)
    }

    private var head: [String: Any] {
        var values: [String: Any] = ["link": Self.anchor(item).linkEscaped, "label": label]
        // The label of a product without a name is its key.
        if operation.name != nil { values["key"] = operation.key.abbreviated(to: 120) }
        values["id"] = operation.id.map(\.description)
        return values
    }

    // MARK: - Fields

    /// The market's value; for a new sale, the price that buyers pay without it.
    private func old(_ change: FieldChange, _ text: FieldValueText) -> String {
        guard change.live == .sale(.fullPrice), let price = operation.move(of: change)?.old else {
            return text.old(change)
        }
        return text.money(.number(price), operation.currencies.before)
    }

    private var leaving: [[String: Any]] {
        guard case .delete(let deletion) = operation.work else { return [] }
        let fields: [ProductField] = [.description, .price, .salePrice, .stock]
        return fields.compactMap { field in
            guard let value = deletion.live[field], value != .sale(.fullPrice) else { return nil }
            return head(of: field).merging(text(value, as: "old", deletion.live.currency)) { $1 }
        }
    }

    /// Whether no other part of the card shows it.
    ///
    /// The name of a new product is its heading, and the currency follows its price.
    private func isNews(_ change: FieldChange) -> Bool {
        guard operation.action == .create else { return true }
        return switch change.field {
        case .name: label != operation.name
        case .currency: operation.newProduct?.values.price == nil
        default: true
        }
    }

    private func head(of field: ProductField, isRisky: Bool = false) -> [String: Any] {
        let look = [field.kind.isShort ? nil : "wide", isRisky ? "risky" : nil].compactMap(\.self).joined(
            separator: " "
        )
        return look.isEmpty ? ["field": field.rawValue] : ["field": field.rawValue, "look": look]
    }

    private func field(_ change: FieldChange) -> [String: Any] {
        var values = head(of: change.field, isRisky: isRisky(change))
        if operation.action == .create {
            if let value = change.manifest { values.merge(text(value, as: "new", operation.currencies.after)) { $1 } }
            return values
        }
        let short = FieldValueText(reading: operation, limit: Self.shortText)
        switch change.kind {
        case .change: break
        case .drift: values["remark"] = "changed on the market"
        case .conflict: values["remark"] = "changed on both sides, was \(short.text(change.base))"
        }
        switch (change.live, change.manifest) {
        case (.text(let old)?, .text(let new)?) where change.field != .currency && !old.isExactly(new):
            if let likeness = FieldValueText.likeness(change) { values["likeness"] = likeness }
            let diff = WordDiff(from: old, to: new)
            let focused = diff.focused(context: Self.context)
            values["diff"] = ["parts": parts(focused)]
            if focused != diff { values["whole"] = ["parts": parts(diff)] }
        default:
            values["isWorded"] = change.field.isWorded
            values["old"] = old(change, short)
            values["new"] = short.new(change)
            values["percent"] = operation.move(of: change)?.percent
        }
        return values
    }

    /// Whether the change is a reason that the product is among the findings.
    private func isRisky(_ change: FieldChange) -> Bool {
        guard change.kind == .change else { return true }
        let findings = Set(item.findings)
        return switch change.field {
        case .price: findings.contains(.price) || findings.contains(.zeroPrice)
        case .salePrice: !findings.isDisjoint(with: [.price, .saleEnds, .zeroPrice])
        case .currency: findings.contains(.currency)
        case .stock: findings.contains(.stockToZero)
        default: false
        }
    }

    /// A value: abbreviated, with the whole text folded if it is long.
    private func text(_ value: FieldValue, as side: String, _ currency: Currency?) -> [String: Any] {
        guard case .text(let whole) = value else {
            return [
                side: FieldValueText(reading: operation, limit: Self.shortText).money(value, currency),
                "isWorded": true,
            ]
        }
        var values: [String: Any] = [side: whole.abbreviated(to: Self.shortText), "isWorded": false]
        if whole.count > Self.shortText {
            values["whole"] = ["parts": [side == "old" ? ["removed": whole] : ["added": whole]]]
        }
        return values
    }

    private func parts(_ diff: WordDiff) -> [[String: Any]] {
        diff.parts.map { part in
            switch part {
            case .same(let words): ["same": words]
            case .omitted: ["same": "…"]
            case .removed(let words): ["removed": words]
            case .added(let words): ["added": words]
            }
        }
    }
}

extension PictureMove {
    fileprivate var isAlone: Bool { before == nil || after == nil }
}

extension ProductField {
    /// Whether the page itself words the values, such as "no sale"; texts are shown unchanged.
    fileprivate var isWorded: Bool {
        switch kind {
        case .amount, .sale, .count, .images, .image: true
        case .text, .code: false
        }
    }
}
