/// How closely a product matches a create, the closest first.
enum Likeness: Comparable {
    case exact
    /// Equal in appearance; a unit may have been sold.
    case displayed
    /// All is as sent, but the name or the description is rewritten.
    case rewritten
    /// All is as sent except the name.
    case renamed
    /// It has the name, but now other values.
    case edited
    /// Too few values show to decide.
    case possible
}

extension NewProduct {
    /// How closely a product matches this one; `nil` if it is another one.
    ///
    /// Markets and people rewrite texts, so no text excludes a product. `digests` are those of the market's pictures by
    /// URL, as far as they can be read. A row lacks the values that only details show.
    func likeness(
        of shown: LiveProduct,
        digests: [ExactText: ContentDigest] = [:],
        normalised: Set<ProductField>,
        isRow: Bool = false
    ) -> Likeness? {
        let pictures = havePictures(shown, digests)
        let isSold = values.stock.flatMap { sent in shown.stock.map { $0 < sent } } ?? false
        var fields = writtenFields.subtracting([.name, .description, .thumbnail])
        if isSold { fields.remove(.stock) }
        let differs =
            pictures == false
            || WriteComparison.differences(sent: values, fields: fields, shown: shown, normalised: normalised)
                .contains { !shown.blank.contains($0.field) }
        let name = Echo(values.name, shown.name)
        let description = Echo(values.description, shown.description)
        let hasEcho =
            pictures == true || name?.isAlike == true
            || description?.isAlike == true && values.description != ""
        guard !differs else {
            if let name, name <= .folded { return .edited }
            return hasEcho ? .possible : nil
        }
        guard isRow || name != nil && !writtenFields.contains(where: shown.blank.contains) else { return .possible }
        return switch [name, description].compactMap(\.self).max() {
        case nil, .same: isSold ? .displayed : .exact
        case .displayed: .displayed
        case .folded, .cut: .rewritten
        case .other where pictures == true || name?.isAlike == true: .rewritten
        case .other: isRow || hasEcho ? .renamed : .possible
        }
    }

    /// Whether a product has the pictures, in any order; `nil` if their bytes cannot be compared.
    private func havePictures(_ shown: LiveProduct, _ digests: [ExactText: ContentDigest]) -> Bool? {
        guard let wanted = values.images?.digests, !wanted.isEmpty, let images = shown.images else { return nil }
        let known = images.compactMap { digests[$0.url] }
        return known.count == images.count && !known.isEmpty ? known.isReordering(of: wanted) : nil
    }
}

/// How the market returned a sent text.
private enum Echo: Comparable {
    case same
    /// The same in other bytes.
    case displayed
    /// The same except for what markets rewrite.
    case folded
    /// The beginning of the sent text.
    case cut
    case other

    /// `nil` without values to compare.
    init?(_ sent: String?, _ shown: String?) {
        guard let sent, let shown else { return nil }
        self = Self.of(sent, shown)
    }

    private static func of(_ sent: String, _ shown: String) -> Echo {
        // Hot: the answer to nearly every create ends here.
        if shown.isExactly(sent) { return .same }
        if sent.isEmpty { return .other }
        if shown == sent { return .displayed }
        let (letters, shownLetters) = (RewrittenName(sent), RewrittenName(shown))
        if letters == shownLetters { return .folded }
        let isCut = !shown.isEmpty && shown.isBeginning(of: sent) || shownLetters.isBeginning(of: letters)
        return isCut ? .cut : .other
    }

    var isAlike: Bool { self != .other }
}
