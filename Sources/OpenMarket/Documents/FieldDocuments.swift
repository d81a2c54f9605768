extension JSONValue {
    /// An object of the members that have a value.
    package static func object(of members: (String, JSONValue?)...) -> JSONValue {
        .object(members.compactMap { name, value in value.map { Member(name, $0) } })
    }

    package static func integer(_ value: some BinaryInteger) -> JSONValue {
        .number(ExactDecimal(Int64(clamping: value)))
    }

    package init(_ location: SourceLocation) {
        self = .object(
            of: ("file", .string(location.file)),
            ("line", location.position.map { .integer($0.line) }),
            ("column", location.table == .row ? nil : location.position.map { .integer($0.column) }),
            ("column_name", location.table?.columnName.map(JSONValue.string))
        )
    }

    /// A field's value: text, number, list; `null` for the end of a sale.
    package init(_ value: FieldValue) {
        self =
            switch value {
            case .text(let text): .string(text)
            case .number(let number): .number(number)
            case .integer(let number): .integer(number)
            case .sale(.fullPrice): .null
            case .sale(.price(let price)): .number(price)
            case .images(let images): .array(images.map { .string($0.stateText) })
            case .image(let image): .string(image.stateText)
            }
    }

    package init(_ change: FieldChange) {
        self.init(change, isShown: true)
    }

    /// A change; `isShown` is false where the market does not show the field, and `live` is what was last applied.
    init(_ change: FieldChange, isShown: Bool) {
        self = .object(
            of: ("field", .string(change.field.rawValue)),
            ("kind", .string(change.kind.rawValue)),
            ("base", change.base.map { JSONValue($0) }),
            ("live", change.live.map { JSONValue($0) }),
            ("shown", isShown ? nil : .bool(false)),
            ("manifest", change.manifest.map { JSONValue($0) })
        )
    }

    /// Fields with a value, by their names.
    init(_ values: ProductValues) {
        self = .object(
            ProductField.allCases.compactMap { field in
                values[field].map { Member(field.rawValue, JSONValue($0)) }
            }
        )
    }

    package init(_ picture: Picture) {
        self = .object(
            of: ("path", .string(picture.path)),
            ("file", picture.file.isExactly(picture.path) ? nil : .string(picture.file)),
            ("bytes", .integer(picture.byteCount)),
            ("sha256", .string(picture.digest.hexadecimal)),
            ("format", .string(picture.format.rawValue)),
            ("width", .integer(picture.width)),
            ("height", .integer(picture.height))
        )
    }
}

extension DocumentRead {
    static func location(_ value: DocumentValue) throws(DocumentError) -> SourceLocation {
        try value.object { object throws(DocumentError) in
            let file = try object.required("file", text)
            let line = try object.optional("line", position)
            let column = try object.optional("column", position)
            let name = try object.optional("column_name", text)
            guard let line else { return SourceLocation(file: file) }
            // A row as a whole has no column.
            return SourceLocation(
                file: file,
                position: SourcePosition(line: line, column: column ?? 1),
                table: column == nil ? .row : name.map { .cell(column: $0) }
            )
        }
    }

    private static func position(_ value: DocumentValue) throws(DocumentError) -> UInt32 {
        try value.read("a line or column") { value in value.integer.flatMap { UInt32(exactly: $0) } }
    }

    /// A value of a field.
    static func value(_ value: DocumentValue, of field: ProductField) throws(DocumentError) -> FieldValue {
        switch field {
        case .name, .description, .currency: .text(try text(value))
        case .price: .number(try number(value))
        case .salePrice: value.value.isNull ? .sale(.fullPrice) : .sale(.price(try number(value)))
        case .stock: .integer(try integer(value))
        case .images: .images(try value.list(picture))
        case .thumbnail: .image(try picture(value))
        }
    }

    static func picture(_ value: DocumentValue) throws(DocumentError) -> PictureIdentity {
        try value.read("a picture") { $0.text.flatMap { PictureIdentity(stateText: $0) } }
    }

    /// A change, and whether the market shows the field.
    static func change(_ value: DocumentValue) throws(DocumentError) -> (change: FieldChange, isShown: Bool) {
        try value.object { object throws(DocumentError) in
            let field: ProductField = try object.required("field", choice)
            let read = { (value: DocumentValue) throws(DocumentError) in try DocumentRead.value(value, of: field) }
            let change = FieldChange(
                field: field,
                kind: try object.required("kind", choice),
                base: try object.optional("base", read),
                live: try object.optional("live", read),
                manifest: try object.optional("manifest", read)
            )
            return (change, try object.optional("shown", truth) ?? true)
        }
    }

    /// Fields by their names.
    package static func values(_ value: DocumentValue) throws(DocumentError) -> ProductValues {
        try value.object { object throws(DocumentError) in
            var values = ProductValues()
            for field in ProductField.allCases {
                values[field] = try object.optional(field.rawValue) { value throws(DocumentError) in
                    try DocumentRead.value(value, of: field)
                }
            }
            return values
        }
    }

    package static func file(_ value: DocumentValue) throws(DocumentError) -> Picture {
        try value.object { object throws(DocumentError) in
            let path = try object.required("path", text)
            return Picture(
                path: path,
                file: try object.optional("file", text) ?? path,
                digest: try object.required("sha256", digest),
                byteCount: try object.required("bytes", count),
                format: try object.required("format", choice),
                width: try object.required("width", count),
                height: try object.required("height", count)
            )
        }
    }
}
