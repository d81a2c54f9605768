import OpenMarket
import OpenMarketDescription

/// Reads the pictures of a product as described: addresses or objects, one or several, with or without thumbnails.
struct PictureReader: Sendable {
    let place: Int
    private let thumbnails: Int?
    private let isSingle: Bool
    private let nullIsNone: Bool
    private let tree: MemberTree
    private let id: Int?
    private let url: Int?
    /// The slot of the whole element.
    private let whole: Int
    private let thumbnail: Int?
    private let idKind: MarketDescription.Identity.ID.Kind

    init(
        _ shown: MarketDescription.Pictures.Shown,
        _ market: MarketDescription,
        _ parameters: [String: String],
        _ rows: inout MemberTree.Builder
    ) {
        nullIsNone = shown.isSingle || market.nulls == .unset
        place = rows.slot(at: shown.place.names(parameters))
        thumbnails = shown.thumbnails.map { rows.slot(at: $0.names(parameters)) }
        isSingle = shown.isSingle
        idKind = market.identity.id.kind
        var builder = MemberTree.Builder(isLoose: market.names == .loose)
        id = shown.id.map { builder.slot(at: $0.names(parameters)) }
        url = shown.url.map { builder.slot(at: $0.names(parameters)) }
        whole = builder.slot(at: [])
        thumbnail = shown.thumbnail.map { builder.slot(at: $0.names(parameters)) }
        tree = builder.tree()
    }

    /// Adds the pictures to a row.
    ///
    /// It never actually throws ``JSONError``, because the text was read before.
    func read(_ values: borrowing MemberValues, into row: inout LiveRow, _ faults: inout [String]) throws(JSONError) {
        let shown = values[place]
        switch shown.kind {
        case .absent: break
        case .null:
            if nullIsNone { row.images = [] } else { faults.append("images is not an array") }
        case .array where !isSingle: row.images = try elements(shown.text, &faults)
        case .object, .text, .number, .truth, .brokenText, .array:
            guard isSingle, shown.kind != .array else {
                faults.append("images is not an array")
                break
            }
            // Some markets use an empty address for a missing picture.
            if shown.kind == .text, shown.text.withUTF8Span({ $0.isEmpty }) {
                row.images = []
            } else {
                row.images = try image(shown, &faults).map { [$0] } ?? []
            }
        }
        guard let thumbnails else { return }
        try attach(values[thumbnails], to: &row, &faults)
    }

    private func elements(_ array: JSONText, _ faults: inout [String]) throws(JSONError) -> [LiveProduct.Image] {
        var images: [LiveProduct.Image] = []
        var values = MemberValues(for: tree)
        var notes: [String] = []
        try array.read { reader throws(JSONError) in
            try reader.beginArray()
            while try reader.nextElement() {
                let kind = try reader.peek()
                try tree.read(&reader, into: &values)
                if let image = image(kind, values, &notes) { images.append(image) }
            }
        }
        faults += notes
        return images
    }

    private func image(_ shown: ScalarSlot, _ faults: inout [String]) throws(JSONError) -> LiveProduct.Image? {
        guard shown.kind == .object else {
            return LenientValue.text(.value(shown), "images", &faults).map { LiveProduct.Image(url: $0.string) }
        }
        var values = MemberValues(for: tree)
        return try shown.text.read { reader throws(JSONError) in
            try tree.read(&reader, into: &values)
            return image(.object, values, &faults)
        }
    }

    private func image(
        _ kind: JSONReader.Kind,
        _ values: borrowing MemberValues,
        _ faults: inout [String]
    ) -> LiveProduct.Image? {
        // An element that is not an object is the address itself, whatever the other elements are.
        guard kind == .object, let url else {
            return LenientValue.text(.value(values[whole]), "images", &faults).map { LiveProduct.Image(url: $0.string) }
        }
        let address = LenientValue.text(.value(values[url]), "images.url", &faults)
        if values[url].kind == .absent { faults.append("images.url is missing") }
        var image = LiveProduct.Image(url: address?.string ?? "")
        if let id, values[id].isPresent { image.id = LenientValue.pictureID(values[id], idKind, "images.id", &faults) }
        if let thumbnail, values[thumbnail].isPresent {
            image.thumbnailURL = LenientValue.text(.value(values[thumbnail]), "images.thumbnail", &faults)?.string
        }
        return address == nil ? nil : image
    }

    /// Attaches the thumbnails, one for each picture, in the same order.
    private func attach(
        _ shown: ScalarSlot,
        to row: inout LiveRow,
        _ faults: inout [String]
    ) throws(JSONError) {
        guard shown.kind == .array, var images = row.images, !images.isEmpty else { return }
        var texts: [String] = []
        var notes: [String] = []
        var values = MemberValues(for: tree)
        try shown.text.read { reader throws(JSONError) in
            try reader.beginArray()
            while try reader.nextElement() {
                try tree.read(&reader, into: &values)
                if let text = LenientValue.text(.value(values[whole]), "thumbnails", &notes) {
                    texts.append(text.string)
                }
            }
        }
        faults += notes
        guard images.count == texts.count else { return }
        for index in images.indices { images[index].thumbnailURL = images[index].thumbnailURL ?? texts[index] }
        row.images = images
    }
}
