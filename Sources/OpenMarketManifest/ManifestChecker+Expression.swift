import OpenMarket
import OpenMarketDescription
import OpenMarketFiles

/// Checks that the market's requests can express the manifest; all else is refused, never omitted.
extension ManifestChecker {
    var marketName: String { market.profile?.name ?? "the market" }

    /// Checks the settings of the market and the defaults.
    mutating func settleExpression() {
        if market.sendsKeys, market.profile != nil, !capabilities.carriesKeys {
            report(
                setting: "market.send_keys",
                .unsupportedByMarket,
                "\(marketName) does not carry keys: 'identity.key' is missing in its description"
            )
        }
        if let base = market.picturesURL, let place = places["market.pictures_url"] {
            if capabilities.pictureStyle == .url {
                pictureAddresses = PictureAddresses(base: base, folder: log.sources[place.file].resolvedFolder)
            } else if market.profile != nil {
                report(
                    setting: "market.pictures_url",
                    .unsupportedByMarket,
                    "'pictures_url' is unused: it is for markets that fetch pictures, and \(marketName) does not",
                    as: .warning
                )
            }
        }
        if capabilities.takesOnePicture, sections.limitChanges[.maxImages, default: 1] > 1 {
            report(
                setting: "market.limits.max_images",
                .limits,
                "a product of \(marketName) has a place for one picture"
            )
        }
        if let fixed = capabilities.fixedCurrency, let other = sections.currencies.first(where: { $0 != fixed }) {
            report(setting: "market.limits.currencies", .limits, fixedCurrencyFault(other) ?? "")
        }
        for field in [ProductField.stock, .currency] where unsayableFields.contains(field) {
            let setting = "defaults.\(field.rawValue)"
            guard places[setting] != nil else { continue }
            report(setting: setting, .unsupportedByMarket, unsupported(field), help: "leave it out")
        }
    }

    /// Checks that requests can express the fields of a product.
    mutating func checkExpression(_ index: Int) {
        // Hot: built-in markets have no such fields. A cell may repeat the market's value, so the plan checks rows.
        if !unsayableFields.isEmpty, products.listings.row(at: index) == nil {
            let unsaid = products.drafts[index].written.intersection(unsayableFields)
            for field in ProductField.allCases where unsaid.contains(field) {
                // An empty list of pictures is not sent.
                if field == .images, products.drafts[index].mentionCount == 0 { continue }
                report(.unsupportedByMarket, unsupported(field), of: index, field: field, help: "leave it out")
            }
        }
        if market.sendsKeys, let most = capabilities.key?.characterLimit {
            let key = products.listings.key(at: index)
            // Markets count Unicode scalars, which are at least as many as visible characters.
            let count = key.unicodeScalars.count
            guard count > most else { return }
            report(
                .key,
                "the key has \(count) characters, and those that \(marketName) takes have \(most) at the most",
                of: index,
                path: "key"
            )
        }
    }

    private func unsupported(_ field: ProductField) -> String {
        "no request to \(marketName) can send '\(field.rawValue)'"
    }

    /// The allowed values, with the name of a described market: `1 to 5 are allowed`, `pretix takes 0 to 1`.
    func allowed(_ words: String) -> String {
        guard let profile = market.profile, !profile.isBuiltIn else { return "\(words) are allowed" }
        return "\(profile.name) takes \(words)"
    }

    /// Why a currency does not fit a market with a fixed currency; `nil` if it fits.
    func fixedCurrencyFault(_ currency: Currency) -> String? {
        guard let fixed = capabilities.fixedCurrency, currency != fixed else { return nil }
        return "all prices of \(marketName) are in \(fixed), and this is '\(currency.rawValue.excerpt)'"
    }

    /// The picture, with its URL if the market fetches pictures itself, or its fault there.
    mutating func addressed(_ picture: Picture, _ draft: ListingDrafts.Draft) -> PictureCatalog.Outcome {
        if !market.limits.pictureFormats.contains(picture.format) {
            let names = market.limits.pictureFormats.map(\.name).sorted().listed("or")
            let message = "\(picture.path) is a \(picture.format.name), and \(marketName) takes \(names)"
            return .fault(.pictureFormat, message: message, help: nil)
        }
        guard capabilities.pictureStyle == .url else { return .picture(picture) }
        guard let pictureAddresses else {
            // A faulty value is already reported.
            guard reportsNoPicturesURL, places["market.pictures_url"] == nil else { return .picture(picture) }
            reportsNoPicturesURL = false
            return .fault(
                .unsupportedByMarket,
                message: "\(marketName) fetches pictures itself, and the address of this one is not set",
                help: "set 'market.pictures_url' to the address of the manifest's folder"
            )
        }
        guard let address = pictureAddresses.address(of: picture.path, from: log.sources[draft.file].resolvedFolder)
        else {
            return .fault(
                .pictureFile,
                message: "\(picture.path) is not in the folder that 'market.pictures_url' serves",
                help: "that is the manifest's folder"
            )
        }
        var picture = picture
        picture.address = address
        return .picture(picture)
    }
}

/// The URLs of the pictures in a served folder.
struct PictureAddresses {
    /// The URL of the folder, without a trailing slash.
    let base: String
    /// The folder's absolute path.
    let folder: String

    /// The URL of a picture, whose path is relative to the manifest's folder; `nil` if it is not in the served folder.
    func address(of path: String, from start: String) -> String? {
        let absolute = path.utf8.first == UInt8(ascii: "/") ? path : start + "/" + path
        var parts: [Substring] = []
        for part in absolute.split(separator: "/") where part != "." {
            if part != ".." { parts.append(part) } else if parts.popLast() == nil { return nil }
        }
        let root = folder.split(separator: "/")
        guard parts.count > root.count, zip(root, parts).allSatisfy({ String($0).isExactly(String($1)) }) else {
            return nil
        }
        return ([base] + parts[root.count...].map { String($0).percentEncoded }).joined(separator: "/")
    }
}
