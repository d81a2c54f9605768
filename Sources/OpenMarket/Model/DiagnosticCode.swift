extension Diagnostic {
    /// The kind of a mistake, the same in every version of the tool.
    ///
    /// The raw value is its name, by which scripts and code scanners identify it, and a sentence.
    package enum Code: String, CaseIterable, Hashable, Sendable {
        // The text.
        case unreadableFile = "unreadable-file: A named file cannot be read."
        case yamlSyntax = "yaml-syntax: The text is not YAML."
        case yamlEncoding = "yaml-encoding: The file is not text in a supported encoding, such as UTF-8."
        case yamlLimit = "yaml-limit: The text exceeds a limit of size, depth or aliases."
        case yamlDuplicateKey = "yaml-duplicate-key: A key appears twice in a mapping."
        case yamlAlias = "yaml-alias: An alias names no anchor."
        case yamlUnsupported = "yaml-unsupported: The text uses a feature of YAML that manifests do not have."

        case tableSyntax = "table-syntax: The text is not CSV."
        case tableColumn = "table-column: A column of a table cannot be used."

        // Keys and the values after them.
        case unknownKey = "unknown-key: The section does not have this key."
        case repeatedSection = "repeated-section: A section appears a second time."
        case wrongType = "wrong-type: A value has the wrong type: a mapping, a list or a single value."
        case noValue = "no-value: The value of a key is missing."
        case unknownTag = "unknown-tag: A tag is unknown."
        case unsetVariable = "unset-variable: An environment variable is not set."
        case textFile = "text-file: A text file cannot be used."
        case controlCharacter = "control-character: A text has a control character."
        case commentInText = "comment-in-text: A comment begins inside a line that is probably text."
        case characterSet = "character-set: A text was read in the wrong character set."

        // Values.
        case number = "number: A number cannot be read."
        case negativeNumber = "negative-number: A number is negative."
        case numberRange = "number-range: A number is out of range, or has a fraction."
        case boolean = "boolean: A value is neither true nor false."
        case choice = "choice: A value is not one of the accepted values."
        case currency = "currency: The market does not accept the currency."
        case fieldName = "field-name: A field of products is unknown."
        case url = "url: A URL cannot be used."
        case pictureHost = "picture-host: A host cannot be used."
        case percentage = "percentage: A percentage cannot be read."
        case limits = "limits: Limits contradict each other."
        case marketParameter = "market-parameter: A parameter of a market's description is missing, unknown or unfit."
        case secret = "secret: A secret cannot be used."
        case writtenSecret = "written-secret: A secret is written out."
        case credentialInText = "credential-in-text: A visible value holds a credential of the market."

        // Products.
        case key = "key: A product's key is missing, or cannot be used."
        case repeatedKey = "repeated-key: Two products have the same key."
        case formerKey = "former-key: A former key is in use."
        case pinnedID = "pinned-id: A pinned id cannot be used."
        case missingField = "missing-field: A product lacks a field that its creation needs."
        case textLength = "text-length: A text is too short or too long."
        case invisibleName = "invisible-name: A name is not one visible line."
        case repeatedName = "repeated-name: Two products have the same name."
        case discountedPrice = "discounted-price: A key has different meanings on v1 and v2."
        case salePrice = "sale-price: A sale price does not fit the price."
        case priceFraction = "price-fraction: A price has more decimal digits than its currency or the market allows."
        case tombstoneField = "tombstone-field: A field is ignored for an absent product."

        // Pictures.
        case pictureCount = "picture-count: A product has too few or too many pictures."
        case pictureFile = "picture-file: A picture cannot be read."
        case pictureSize = "picture-size: A picture is too large."
        case pictureFormat = "picture-format: A picture is neither JPEG nor PNG."
        case thumbnail = "thumbnail: A thumbnail cannot be chosen."

        // Manifest, state and market together.
        case ambiguousAdoption = "ambiguous-adoption: Several live products match a listing."
        case picturesNotCompared = "pictures-not-compared: Pictures could not be compared."
        case keptStock = "kept-stock: A stock changed on the market and stays as it is there."
        case unreadFile = "unread-file: A file that lists products, or listed them, is not read."
        case alteredText = "altered-text: The market shows a text differently than it was sent."
        case freeOnMarket = "free-on-market: After a change on the market, a product is free for buyers."
        case markupAtRisk = "markup-at-risk: A text on the market has elements that the shop removes on writing."
        case possibleRename = "possible-rename: One product leaves, and another with the same pictures appears."
        case otherMarket = "other-market: The state has products, but only of other markets."
        case unreadableRow = "unreadable-row: The market's row of a product cannot be read."
        case rowAction = "row-action: A row asks for an action that its product does not allow."
        case readOnlyCell = "read-only-cell: A cell differs from the market and is ignored."
        case unsupportedByMarket = "unsupported-by-market: The market does not support this."

        case adjustment = "adjustment: An adjustment is not possible, or matches no product."

        // Descriptions of markets.
        case descriptionText = "description-text: A description is not YAML, or uses what descriptions lack."
        case descriptionShape = "description-shape: A description has a key or a value that the language does not have."
        case descriptionRule = "description-rule: Parts of a description contradict each other, or are not safe."

        package var name: String { String(rawValue.prefix { $0 != ":" }) }

        package var summary: String { String(rawValue.dropFirst(name.count + 2)) }

        package var isOfDescription: Bool {
            [.descriptionText, .descriptionShape, .descriptionRule].contains(self)
        }
    }
}
