package import OpenMarket

/// Renders the values of fields for people.
package struct FieldValueText {
    /// The picture files of the operation, to name a digest by its file.
    private let pictures: [Picture]
    /// The longest text shown in full.
    private let limit: Int

    /// Texts up to this length stand in full.
    static let shortText = 72

    /// Renders values; pictures by the names of their files where these are given.
    package init(pictures: [Picture] = [], limit: Int = Self.shortText) {
        self.pictures = pictures
        self.limit = limit
    }

    package func text(_ value: FieldValue?) -> String {
        switch value {
        case nil: "–"
        case .text(let text): "\"\(text.terminalSafe.abbreviated(to: limit))\""
        case .number(let number): number.description
        case .integer(let number): String(number)
        case .sale(.fullPrice): "no sale"
        case .sale(.price(let price)): price.description
        case .images(let images): images.isEmpty ? "none" : images.map(name).joined(separator: ", ")
        case .image(let image): name(image)
        }
    }

    /// From what the market showed to what the manifest wants.
    package func move(_ change: FieldChange) -> String {
        "\(text(change.live)) → \(text(change.manifest))" + (Self.likeness(change).map { " (\($0))" } ?? "")
    }

    /// What to say of two texts that differ and look alike; `nil` for all others.
    static func likeness(_ change: FieldChange) -> String? {
        guard case (.text(let live)?, .text(let manifest)?) = (change.live, change.manifest), live == manifest else {
            return nil
        }
        return "the same characters in other bytes"
    }

    private func name(_ picture: PictureIdentity) -> String {
        switch picture {
        case .digest(let digest):
            pictures.first { $0.digest == digest }.map(\.path.terminalSafe) ?? "picture \(digest.abbreviated)"
        case .unknown(let reference):
            "picture \(reference.split(separator: "/").last.map(String.init)?.terminalSafe ?? reference.terminalSafe)"
        }
    }
}
