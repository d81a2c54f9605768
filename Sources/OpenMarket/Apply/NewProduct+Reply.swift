extension NewProduct {
    /// Why a reply's product cannot be the new one, for messages; `nil` if it can.
    ///
    /// A proxy may answer with a reply to another request.
    func doubt(
        about product: LiveProduct,
        carrying key: String?,
        newerThan highWater: MarketID?,
        _ capabilities: MarketCapabilities,
        _ identity: VendorIdentity,
        holder: String?
    ) -> String? {
        // If all else is as sent, another key or name is the market's spelling.
        let isAsSent =
            asMade(capabilities).likeness(of: product, normalised: capabilities.normalisedFields).map {
                $0 <= .rewritten
            } ?? false
        if let key, let shown = product.key, shown != key,
            !isAsSent || identity.keys?.key(of: product) != nil
        {
            return "product \(product.id) with the key '\(shown)'"
        }
        if let holder { return "product \(product.id), which is '\(holder)' already" }
        if let highWater, !product.id.mayBeNewer(than: highWater) {
            return "product \(product.id), which is not newer than product \(highWater) was before"
        }
        if identity.ownership(of: product, by: .presumed) == .foreign, let ours = identity.presumed,
            let theirs = product.vendorID
        {
            return "product \(product.id) of vendor \(theirs), and yours is \(ours)"
        }
        // A market may return a text in another Unicode form, which Swift's `==` treats as equal.
        if key == nil || product.key == nil, !isAsSent, let wanted = values.name, let shown = product.name,
            shown != wanted
        {
            return "product \(product.id) with another name, \(TextExcerpt.of(shown, beside: wanted))"
        }
        return nil
    }

    /// The differences between a new product and the sent values, including values that were only copied.
    ///
    /// `isFresh` is false if the product was found on the market: a unit may have been sold meanwhile.
    func differences(
        of product: LiveProduct,
        isFresh: Bool = false,
        _ capabilities: MarketCapabilities
    ) -> [WriteComparison.Difference] {
        var fields = writtenFields
        if !isFresh, let sent = values.stock, let shown = product.stock, shown < sent { fields.remove(.stock) }
        return WriteComparison.differences(
            sent: values,
            fields: fields,
            shown: product,
            normalised: capabilities.normalisedFields
        )
    }

    /// The product right after the create; pictures that are attached follow later.
    func asMade(_ capabilities: MarketCapabilities) -> NewProduct {
        guard capabilities.pictureStyle == .attach, !pictures.isEmpty else { return self }
        var product = self
        product.values.images = nil
        product.values.thumbnail = nil
        product.pictures = []
        return product
    }

    var writtenFields: Set<ProductField> { Set(ProductField.allCases.filter { values[$0] != nil }) }
}

extension PlannedOperation.Replacement {
    /// The message for a replace whose new product may be a found one that differs from the sent values.
    func unresolvedMessage(about found: MarketID, _ differences: [String]) -> String {
        "product \(found) may be the new one, but it is not as sent (\(differences.joined(separator: "; "))), so product "
            + "\(id) stays; delete the unwanted one on the market"
    }
}
