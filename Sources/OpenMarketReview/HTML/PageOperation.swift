import OpenMarket

/// An operation as the values that the page's templates show.
struct PageOperation {
    /// What an operation is filtered by; one may be of several kinds.
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
            }
        }
    }

    private let item: PlanReview.Item
    private let isLinked: Bool
    /// What it is filtered by.
    let kinds: Set<Kind>

    private var operation: PlannedOperation { item.operation }

    /// Texts up to this length stand in full.
    private static let shortText = 160
    /// How many characters of a text are shown beside a change of it.
    private static let context = 60

    init(_ item: PlanReview.Item, isLinked: Bool) {
        self.item = item
        self.isLinked = isLinked
        kinds = Self.kinds(item.operation)
    }

    /// The end of the link to an operation.
    static func anchor(_ item: PlanReview.Item) -> String { item.operation.key.terminalSafe }

    private static func kinds(_ operation: PlannedOperation) -> Set<Kind> {
        var kinds: Set<Kind> = []
        switch operation.action {
        case .create: return [.create]
        case .adopt: kinds.insert(.adopt)
        case .delete: kinds.insert(.delete)
        case .forget: kinds.insert(.forget)
        case .replace: kinds.insert(.replace)
        case .update: break
        }
        for change in operation.changes {
            switch change.field {
            case .name, .description: kinds.insert(.text)
            case .price, .salePrice, .currency: kinds.insert(.price)
            case .stock: kinds.insert(.stock)
            case .images, .thumbnail: kinds.insert(.picture)
            }
            if change.kind != .change { kinds.insert(.market) }
        }
        return kinds
    }

    // MARK: - Values

    /// The operation in the list.
    func values(_ pictures: inout PagePictures) -> [String: Any] {
        var values = head
        values["action"] = operation.action.rawValue
        values["anchor"] = isLinked ? Self.anchor(item) : nil
        values["kinds"] = kinds.map(\.rawValue).sorted().joined(separator: " ")
        values["index"] = item.index
        values["move"] = item.move.map { $0.basisPoints ?? .max }
        values["reason"] = operation.reason
        values["source"] = operation.source.map(\.description)
        // The action says the rest.
        let why = item.findings.filter { ![.delete, .replace, .forget].contains($0) }
        values["why"] = why.map { ["phrase": $0.phrase] }
        let pictured = operation.pictureMoves.map {
            pictures.values($0, link: Self.anchor(item).linkEscaped, label: label)
        }
        values["fields"] = operation.action == .delete ? leaving : operation.changes.map(field)
        // Pictures that change say more than their names.
        if !pictured.isEmpty { values["pictures"] = ["pairs": pictured] }
        return values
    }

    /// The operation as one of the findings: short values.
    var finding: [String: Any] {
        let text = FieldValueText(pictures: operation.pictures, limit: 40)
        var values = head
        let numbers = operation.changes.filter { !$0.field.isWide }
        values["fields"] = operation.changes.filter(\.field.isWide).map(\.field.rawValue)
        values["moves"] = numbers.map { change -> [String: Any] in
            var move: [String: Any] = ["field": change.field.rawValue]
            move["old"] = text.text(change.live)
            move["new"] = text.text(change.manifest)
            move["percent"] = percent(operation.move(of: change))
            return move
        }
        return values
    }

    private var label: String {
        operation.name.map { $0.terminalSafe.abbreviated(to: 120) } ?? operation.key.abbreviated(to: 120)
    }

    private var head: [String: Any] {
        var values: [String: Any] = [
            "key": operation.key.abbreviated(to: 120),
            "link": Self.anchor(item).linkEscaped,
            "label": label,
        ]
        values["id"] = operation.id.map(\.description)
        return values
    }

    private func percent(_ move: PriceMove?) -> [String: Any]? {
        guard let move, let percent = move.percent else { return nil }
        return ["text": percent, "direction": move.new < move.old ? "down" : "up"]
    }

    // MARK: - Fields

    /// What a product that is deleted had.
    private var leaving: [[String: Any]] {
        guard case .delete(let deletion) = operation.work else { return [] }
        let fields: [ProductField] = [.description, .price, .currency, .salePrice, .stock]
        return fields.compactMap { field in
            guard let value = deletion.live[field], value != .sale(.fullPrice) else { return nil }
            return head(of: field).merging(text(value, as: "old")) { $1 }
        }
    }

    private func head(of field: ProductField) -> [String: Any] { ["field": field.rawValue, "isWide": field.isWide] }

    private func field(_ change: FieldChange) -> [String: Any] {
        var values = head(of: change.field)
        if operation.action == .create {
            if let value = change.manifest { values.merge(text(value, as: "new")) { $1 } }
            return values
        }
        switch change.kind {
        case .change: break
        case .drift: values["remark"] = "changed on the market"
        case .conflict:
            let base = FieldValueText(pictures: operation.pictures, limit: Self.shortText).text(change.base)
            values["remark"] = "changed on both sides, was \(base)"
        }
        switch (change.live, change.manifest) {
        case (.text(let old)?, .text(let new)?) where change.field != .currency && !old.isExactly(new):
            if let likeness = FieldValueText.likeness(change) { values["likeness"] = likeness }
            let diff = WordDiff(from: old, to: new)
            let focused = diff.focused(context: Self.context)
            values["diff"] = ["parts": parts(focused)]
            if focused != diff { values["whole"] = ["parts": parts(diff)] }
        default:
            let text = FieldValueText(pictures: operation.pictures, limit: Self.shortText)
            values["old"] = text.text(change.live)
            values["new"] = text.text(change.manifest)
            values["percent"] = percent(operation.move(of: change))
        }
        return values
    }

    /// One value: short, and folded behind it the whole of a long one.
    private func text(_ value: FieldValue, as side: String) -> [String: Any] {
        let text = FieldValueText(pictures: operation.pictures, limit: Self.shortText)
        guard case .text(let whole) = value else { return [side: text.text(value)] }
        var values: [String: Any] = [side: whole.abbreviated(to: Self.shortText)]
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

extension ProductField {
    /// Whether its values take a line of their own.
    fileprivate var isWide: Bool {
        switch self {
        case .name, .description, .images, .thumbnail: true
        case .price, .currency, .salePrice, .stock: false
        }
    }
}
