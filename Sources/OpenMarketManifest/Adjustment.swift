import OpenMarket
import YAML

/// An entry of `adjust`: changes of some products for this market.
struct Adjustment {
    var file: Int
    var span: SourceSpan
    /// Keys and patterns; `nil` for all products.
    var keys: [(text: String, span: SourceSpan)]?
    var conditions: [ProductCondition] = []
    var conditionSpan: SourceSpan?
    var leavesOut = false
    var expressions: [(expression: FieldExpression, span: SourceSpan)] = []
    var rounding: FieldExpression.Rounding?
    var replacements: [(old: String, new: String, span: SourceSpan)] = []
    var replacedFields: [String]?
    var images: (paths: [(path: String, position: SourcePosition)], span: SourceSpan)?
    var ignoreChanges: Set<ProductField> = []
}

/// The keys of an entry of `adjust`.
enum AdjustKey: String, ManifestKey {
    case key
    case `where`
    case leaveOut = "leave_out"
    case id, name, description, price, prices, currency
    case salePrice = "sale_price"
    case stock, images, protected
    case ignoreChanges = "ignore_changes"
    case replace
    case `in`
    case round, ending

    static let path = "adjust[]"

    var entry: ManifestSchema.Entry {
        switch self {
        case .key:
            .init(.list(of: "keys"), "the products; all of them unless specified", "`*` and `?` are wild") {
                (sections, values, node, field) in
                guard node.items?.isEmpty != true else {
                    return values.report(.adjustment, "'key' names no product", at: node.span, field: field)
                }
                let keys = values.texts(node, field: field).map { ($0.text.value.composed, $0.node.span) }
                sections.change { $0.keys = keys }
            }
        case .where:
            .init(.list(of: "conditions"), "only those that fit, as with `--where`", "all have to hold") {
                (sections, values, node, field) in
                for (text, item) in values.texts(node, field: field) {
                    let condition = values.trying(at: item.span, field: field) { () throws(ExpressionError) in
                        try ProductCondition(text.value)
                    }
                    guard let condition else { continue }
                    sections.change {
                        $0.conditions.append(condition)
                        $0.conditionSpan = $0.conditionSpan ?? item.span
                    }
                }
            }
        case .leaveOut:
            .init(.boolean, "`true` does not list them on this market", "those that are there are deleted") {
                let leavesOut = $1.boolean($2, field: $3) ?? false
                $0.change { $0.leavesOut = leavesOut }
            }
        case .id: expression(.choice(["none"]), "`none`: an id is of another market")
        case .name: expression(.text, "another name", "`{name}` and other fields stand for their values")
        case .description: expression(.text, "another description", "as with `name`")
        case .price: expression(.text, "another price", "a number, `+500`, `-10%`, `x1.1`, `sale_price+20%`")
        case .prices: expression(.text, "another price, and a sale with it", "`+500`, `-500`, `+10%`, `-10%`, `x1.1`")
        case .currency: expression(.currency, "another currency")
        case .salePrice: expression(.text, "another sale price", "as with `price`; `none` ends the sale")
        case .stock: expression(.text, "another stock", "as with `price`; `none` leaves it to the market")
        case .images:
            .init(.list(of: "paths"), "other pictures instead of all that the product has", "relative to this file") {
                (sections, values, node, field) in
                guard node.items?.isEmpty == false else {
                    return values.report(.wrongType, "'images' must be a list of paths", at: node.span, field: field)
                }
                let paths = values.texts(node, field: field).map { ($0.text.value, $0.node.start) }
                sections.change { $0.images = (paths, node.span) }
            }
        case .protected: expression(.boolean, "refuses to be deleted or replaced")
        case .ignoreChanges:
            .init(.list(of: "fields"), "added to the product's own") { (sections, values, node, _) in
                let fields = values.ignoredFields(node)
                sections.change { $0.ignoreChanges = fields }
            }
        case .replace:
            .init(.texts, "texts that are replaced by others", "`{OLD: NEW}`") { (sections, values, node, field) in
                for pair in values.pairs(node, field: field) ?? [] {
                    guard let text = values.text(pair.value, field: field) else { continue }
                    sections.change { $0.replacements.append((pair.key.name, text.value, pair.key.span)) }
                }
            }
        case .in:
            .init(.list(of: "fields"), "the fields to replace them in", "`name` and `description` unless specified") {
                let fields = $1.texts($2, field: $3).map(\.text.value)
                $0.change { $0.replacedFields = fields }
            }
        case .round: rounding("rounds new prices to the nearest multiple", "above 0")
        case .ending: rounding("rounds new prices to the nearest number that ends so", "`900`, `0.99`")
        }
    }

    private func rounding(_ meaning: String, _ rules: String) -> ManifestSchema.Entry {
        .init(.text, meaning, rules) { (sections, values, node, field) in
            guard let text = values.text(node, field: field) else { return }
            let rounding = values.trying(at: node.span, field: field) { () throws(ExpressionError) in
                try self == .round
                    ? FieldExpression.Rounding(step: text.value) : FieldExpression.Rounding(ending: text.value)
            }
            sections.change { $0.rounding = rounding }
        }
    }

    private func expression(
        _ type: ManifestSchema.ValueType,
        _ meaning: String,
        _ rules: String = ""
    ) -> ManifestSchema.Entry {
        .init(type, meaning, rules) { (sections, values, node, field) in
            guard let text = values.text(node, field: field) else { return }
            let expression = values.trying(at: node.span, field: field) { () throws(ExpressionError) in
                try FieldExpression(field: rawValue, text.value)
            }
            guard let expression else { return }
            // Amounts have the fractions of the new currency.
            sections.change {
                $0.expressions.insert((expression, node.span), at: self == .currency ? 0 : $0.expressions.endIndex)
            }
        }
    }
}

extension ManifestSections {
    /// Changes the entry of `adjust` that is read last.
    fileprivate mutating func change(_ body: (inout Adjustment) -> Void) {
        guard !adjustments.isEmpty else { return }
        body(&adjustments[adjustments.count - 1])
    }
}

extension ValueDecoder {
    mutating func adjustments(_ node: YAMLNode, into sections: inout ManifestSections) {
        let items = items(node, "adjust", field: "", help: "begin each of its entries with '- '")
        for (index, item) in (items ?? []).enumerated() {
            sections.adjustments.append(Adjustment(file: file, span: SourceSpan(start: item.start, length: 1)))
            read(item, field: "[\(index)]", as: AdjustKey.self, into: &sections)
            finish(&sections.adjustments[sections.adjustments.count - 1])
        }
    }

    /// Adds what depends on several keys of an entry.
    private mutating func finish(_ entry: inout Adjustment) {
        for index in entry.expressions.indices { entry.expressions[index].expression.rounding = entry.rounding }
        for (old, new, span) in entry.replacements {
            for field in entry.replacedFields ?? ["name", "description"] {
                let expression = trying(at: span, field: "replace") { () throws(ExpressionError) in
                    try FieldExpression(replacing: old, with: new, in: field)
                }
                if let expression { entry.expressions.append((expression, span)) }
            }
        }
    }

    /// The result, or `nil` after reporting why there is none.
    fileprivate mutating func trying<Result>(
        at span: SourceSpan,
        field: String,
        _ body: () throws(ExpressionError) -> Result
    ) -> Result? {
        do throws(ExpressionError) {
            return try body()
        } catch {
            report(.adjustment, error.message, at: span, field: field, help: error.help)
            return nil
        }
    }
}
