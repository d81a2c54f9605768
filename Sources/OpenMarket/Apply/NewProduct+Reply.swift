/// Whether a product of a reply can be the one that a create made.
extension NewProduct {
    /// Why a reply's product cannot be taken for the one just made, for messages; `nil` where it can.
    ///
    /// Something before the market may answer with a reply to another request.
    func doubt(
        about product: LiveProduct,
        carrying key: String?,
        newerThan highWater: MarketID?,
        _ capabilities: MarketCapabilities,
        _ now: OperationMachine.Context
    ) -> String? {
        if let key, let shown = product.key, shown != key { return "product \(product.id) with the key '\(shown)'" }
        if let holder = now.holder { return "product \(product.id), which is '\(holder)' already" }
        if let highWater, !product.id.mayBeNewer(than: highWater) {
            return "product \(product.id), which is not newer than product \(highWater) was before"
        }
        if now.identity.ownership(of: product, by: .presumed) == .foreign, let ours = now.identity.presumed,
            let theirs = product.vendorID
        {
            return "product \(product.id) of vendor \(theirs), and ours is \(ours)"
        }
        // A market may return a text in another Unicode form; Swift's `==` takes both for the same. One that rewrites names is
        // known for it.
        if key == nil || product.key == nil, !capabilities.normalisedFields.contains(.name), let wanted = values.name,
            let shown = product.name, shown != wanted
        {
            return "product \(product.id) with another name, \(TextExcerpt.of(shown, beside: wanted))"
        }
        return nil
    }

    /// What of a new product is not as it was sent, with everything that only moved over included.
    ///
    /// - Parameters:
    ///   - product: The new product.
    ///   - isFresh: `false` when it was found on the market, where a unit may have been sold meanwhile.
    ///   - normalised: the fields that the market rewrites.
    /// - Returns: the differences.
    func differences(
        of product: LiveProduct,
        isFresh: Bool,
        normalised: Set<ProductField>
    ) -> [WriteComparison.Difference] {
        var fields = writtenFields
        if !isFresh, let sent = values.stock, let shown = product.stock, shown < sent { fields.remove(.stock) }
        return WriteComparison.differences(sent: values, fields: fields, shown: product, normalised: normalised)
    }

    /// What the market shows of it once it is made: pictures that are attached to it follow later.
    func asMade(_ capabilities: MarketCapabilities) -> NewProduct {
        guard capabilities.pictureStyle == .attach, !pictures.isEmpty else { return self }
        var product = self
        product.values.images = nil
        product.values.thumbnail = nil
        product.pictures = []
        return product
    }

    /// The fields that are sent.
    var writtenFields: Set<ProductField> { Set(ProductField.allCases.filter { values[$0] != nil }) }
}

extension PlannedOperation.Replacement {
    /// What to say of a replace whose new product may be one that was found on the market, and is not as it was sent.
    func unresolvedMessage(about found: MarketID, _ differences: [String]) -> String {
        "product \(found) may be the new one, but it is not as sent (\(differences.joined(separator: "; "))), so product "
            + "\(id) stays; delete the one that is not wanted on the market"
    }
}
