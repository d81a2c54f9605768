extension Plan {
    /// The edits that remove rejected changes from the manifest, so that the next plan does not contain them again.
    ///
    /// Fields get the market's values, new products leave, and products to delete are listed again, without pictures.
    /// With `isAdjusted`, the manifest's values are not those of this market.
    package func edits(isAdjusted: Bool = false, rejecting isRejected: (String) -> Bool) -> [ProductEdit] {
        operations.compactMap { operation in
            guard isRejected(operation.key) else { return nil }
            let action: ProductEdit.Action
            switch operation.work {
            case .create(let product): action = .remove(base: product.values)
            case .update, .replace: action = .change(operation.changes.map(FieldEdit.init(rejecting:)))
            case .delete where operation.source != nil:
                let adjust = isAdjusted ? ", or 'adjust' leaves it out" : ""
                action = .leave(because: "the manifest has 'state: absent' for it\(adjust)")
            case .delete where isAdjusted: action = .leaveAdjusted
            case .delete(let deletion):
                action = .add(AddedProduct(values: deletion.live, id: deletion.id, secret: operation.secret), file: nil)
            case .adopt: action = .leave(because: "it is listed, and the market has a product like it")
            case .rename: action = .leave(because: "its key is renamed in the manifest")
            // The market has lost the product.
            case .forget: return nil
            }
            return ProductEdit(key: operation.key, action, reason: "rejected \(operation.action.rawValue)")
        }
    }
}

extension FieldEdit {
    fileprivate init(rejecting change: FieldChange) {
        var refusal: String?
        switch (change.field.kind, change.live) {
        case (.images, _), (.image, _): refusal = "no file has the market's pictures"
        case (.sale, nil): break
        case (_, nil): refusal = "the market's value is unknown"
        default: break
        }
        let live = refusal == nil && change.live != .sale(.fullPrice) ? change.live : nil
        self.init(
            .value(change.field),
            live.map(FieldEdit.Value.value),
            base: .value(change.manifest),
            refusal: refusal
        )
    }
}

extension [ProductEdit] {
    /// Takes out passwords that a manifest had written out; returns the keys of their products.
    package mutating func dropWrittenPasswords() -> [String] {
        var keys: [String] = []
        for index in indices {
            guard case .add(var added, let file) = self[index].action, case .manifest = added.secret else { continue }
            added.secret = nil
            self[index].action = .add(added, file: file)
            keys.append(self[index].key)
        }
        return keys
    }
}
