extension Diagnostic {
    /// The kind of a mistake, the same in every version of the tool.
    ///
    /// Scripts and code scanners identify it by its raw value.
    package enum Code: String, CaseIterable, Hashable, Sendable {
        // The text.
        case unreadableFile = "unreadable-file"
        case yamlSyntax = "yaml-syntax"
        case yamlEncoding = "yaml-encoding"
        case yamlLimit = "yaml-limit"
        case yamlDuplicateKey = "yaml-duplicate-key"
        case yamlAlias = "yaml-alias"
        case yamlUnsupported = "yaml-unsupported"

        case tableSyntax = "table-syntax"
        case tableColumn = "table-column"

        // Keys and the values after them.
        case unknownKey = "unknown-key"
        case repeatedSection = "repeated-section"
        case wrongType = "wrong-type"
        case noValue = "no-value"
        case unknownTag = "unknown-tag"
        case unsetVariable = "unset-variable"
        case textFile = "text-file"
        case controlCharacter = "control-character"
        case commentInText = "comment-in-text"
        case characterSet = "character-set"

        // Values.
        case number
        case negativeNumber = "negative-number"
        case numberRange = "number-range"
        case boolean
        case choice
        case currency
        case fieldName = "field-name"
        case url
        case pictureHost = "picture-host"
        case percentage
        case limits
        case marketParameter = "market-parameter"
        case secret
        case writtenSecret = "written-secret"
        case credentialInText = "credential-in-text"

        // Products.
        case key
        case repeatedKey = "repeated-key"
        case formerKey = "former-key"
        case pinnedID = "pinned-id"
        case missingField = "missing-field"
        case textLength = "text-length"
        case invisibleName = "invisible-name"
        case repeatedName = "repeated-name"
        case discountedPrice = "discounted-price"
        case salePrice = "sale-price"
        case priceFraction = "price-fraction"
        case tombstoneField = "tombstone-field"

        // Pictures.
        case pictureCount = "picture-count"
        case pictureFile = "picture-file"
        case pictureSize = "picture-size"
        case pictureFormat = "picture-format"
        case thumbnail

        // Manifest, state and market together.
        case ambiguousAdoption = "ambiguous-adoption"
        case picturesNotCompared = "pictures-not-compared"
        case keptStock = "kept-stock"
        case unreadFile = "unread-file"
        case alteredText = "altered-text"
        case freeOnMarket = "free-on-market"
        case markupAtRisk = "markup-at-risk"
        case possibleRename = "possible-rename"
        case otherMarket = "other-market"
        case unreadableRow = "unreadable-row"
        case rowAction = "row-action"
        case readOnlyCell = "read-only-cell"
        case unsupportedByMarket = "unsupported-by-market"

        case adjustment

        // Descriptions of markets.
        case descriptionText = "description-text"
        case descriptionShape = "description-shape"
        case descriptionRule = "description-rule"

        package var isOfDescription: Bool {
            switch self {
            case .descriptionText, .descriptionShape, .descriptionRule: true
            default: false
            }
        }

        package var summary: String {
            switch self {
            case .unreadableFile: "A named file cannot be read."
            case .yamlSyntax: "The text is not YAML."
            case .yamlEncoding: "The file is not text in a supported encoding, such as UTF-8."
            case .yamlLimit: "The text exceeds a limit of size, depth or aliases."
            case .yamlDuplicateKey: "A key appears twice in a mapping."
            case .yamlAlias: "An alias names no anchor."
            case .yamlUnsupported: "The text uses a feature of YAML that manifests do not have."
            case .tableSyntax: "The text is not CSV."
            case .tableColumn: "A column of a table cannot be used."
            case .unknownKey: "The section does not have this key."
            case .repeatedSection: "A section appears a second time."
            case .wrongType: "A value has the wrong type: a mapping, a list or a single value."
            case .noValue: "The value of a key is missing."
            case .unknownTag: "A tag is unknown."
            case .unsetVariable: "An environment variable is not set."
            case .textFile: "A text file cannot be used."
            case .controlCharacter: "A text has a control character."
            case .characterSet: "A text was read in the wrong character set."
            case .commentInText: "A comment begins inside a line that is probably text."
            case .number: "A number cannot be read."
            case .negativeNumber: "A number is negative."
            case .numberRange: "A number is out of range, or has a fraction."
            case .boolean: "A value is neither true nor false."
            case .choice: "A value is not one of the accepted values."
            case .currency: "The market does not accept the currency."
            case .fieldName: "A field of products is unknown."
            case .url: "A URL cannot be used."
            case .pictureHost: "A host cannot be used."
            case .percentage: "A percentage cannot be read."
            case .limits: "Limits contradict each other."
            case .marketParameter: "A parameter of the market's description is missing, unknown or cannot be used."
            case .secret: "A secret cannot be used."
            case .writtenSecret: "A secret is written out."
            case .credentialInText: "A visible value holds a credential of the market."
            case .key: "A product's key is missing, or cannot be used."
            case .repeatedKey: "Two products have the same key."
            case .formerKey: "A former key is in use."
            case .pinnedID: "A pinned id cannot be used."
            case .missingField: "A product lacks a field that its creation needs."
            case .textLength: "A text is too short or too long."
            case .invisibleName: "A name is not one visible line."
            case .repeatedName: "Two products have the same name."
            case .discountedPrice: "A key has different meanings on v1 and v2."
            case .salePrice: "A sale price does not fit the price."
            case .priceFraction: "A price has more decimal digits than its currency or the market allows."
            case .tombstoneField: "A field is ignored for an absent product."
            case .pictureCount: "A product has too few or too many pictures."
            case .pictureFile: "A picture cannot be read."
            case .pictureSize: "A picture is too large."
            case .pictureFormat: "A picture is neither JPEG nor PNG."
            case .thumbnail: "A thumbnail cannot be chosen."
            case .ambiguousAdoption: "Several live products match a listing."
            case .picturesNotCompared: "Pictures could not be compared."
            case .keptStock: "A stock changed on the market and stays as it is there."
            case .unreadFile: "A file that lists products, or listed them, is not read."
            case .alteredText: "The market shows a text differently than it was sent."
            case .freeOnMarket: "After a change on the market, a product is free for buyers."
            case .markupAtRisk: "A text on the market has elements that the shop removes on writing."
            case .possibleRename: "One product leaves, and another with the same pictures appears."
            case .otherMarket: "The state has products, but only of other markets."
            case .unreadableRow: "The market's row of a product cannot be read."
            case .rowAction: "A row asks for an action that its product does not allow."
            case .unsupportedByMarket: "The market does not support this."
            case .adjustment: "An adjustment is not possible, or matches no product."
            case .readOnlyCell: "A cell differs from the market and is ignored."
            case .descriptionText: "A description is not YAML, or uses a feature that descriptions do not have."
            case .descriptionShape: "A description has a key or a value that the language does not have."
            case .descriptionRule: "Parts of a description contradict each other, or are not safe."
            }
        }
    }
}
