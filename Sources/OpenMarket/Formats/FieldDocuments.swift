extension SourceLocation: DocumentRecord {
    package static var blank: SourceLocation { SourceLocation(file: "") }

    package mutating func describe(_ members: inout DocumentMembers) {
        var line = position?.line
        // A whole row is without a column.
        var column = table == .row ? nil : position?.column
        var columnName = table?.columnName
        members.required("file", &file)
        members.optional("line", &line)
        members.optional("column", &column)
        members.optional("column_name", &columnName)
        guard members.isReading, let line else { return }
        position = SourcePosition(line: line, column: column ?? 1)
        table = column == nil ? .row : columnName.map { .cell(column: $0) }
    }
}

extension JSONValue {
    /// Text, number or list; `null` for the end of a sale.
    package init(_ value: FieldValue) {
        self =
            switch value {
            case .text(let text): .string(text)
            case .number(let number): .number(number)
            case .integer(let number): .integer(number)
            case .sale(.fullPrice): .null
            case .sale(.price(let price)): .number(price)
            case .images(let images): images.document
            case .image(let image): image.document
            }
    }
}

extension FieldValue {
    /// The field determines the kind of the value.
    init(document: DocumentValue, of field: ProductField) throws(DocumentError) {
        self =
            switch field.kind {
            case .text, .code: .text(try String(document: document))
            case .amount: .number(try ExactDecimal(document: document))
            case .sale: document.value.isNull ? .sale(.fullPrice) : .sale(.price(try ExactDecimal(document: document)))
            case .count: .integer(try Int64(document: document))
            case .images: .images(try [PictureIdentity](document: document))
            case .image: .image(try PictureIdentity(document: document))
            }
    }
}

extension ProductValues: DocumentRecord {
    package static var blank: ProductValues { ProductValues() }

    package mutating func describe(_ members: inout DocumentMembers) {
        for field in ProductField.allCases { members.optional(field.rawValue, &self[field], of: field) }
    }
}

extension Picture: DocumentRecord {
    package static var blank: Picture {
        Picture(path: "", file: "", digest: .zero, byteCount: 0, format: .jpeg, width: 0, height: 0)
    }

    package mutating func describe(_ members: inout DocumentMembers) {
        var elsewhere = file.isExactly(path) ? nil : file
        members.required("path", &path)
        members.optional("file", &elsewhere)
        members.required("bytes", &byteCount)
        members.required("sha256", &digest)
        members.required("format", &format)
        members.required("width", &width)
        members.required("height", &height)
        members.optional("address", &address)
        file = elsewhere ?? path
    }
}

extension LivePictures: DocumentRecord {
    package static var blank: LivePictures { LivePictures() }

    package mutating func describe(_ members: inout DocumentMembers) {
        members.optional("thumbnail", &thumbnailURL)
        members.optional("images", &images)
    }
}

extension LiveProduct.Image: DocumentRecord {
    package static var blank: LiveProduct.Image { LiveProduct.Image(url: "") }

    package mutating func describe(_ members: inout DocumentMembers) {
        members.optional("id", &id)
        members.required("url", &url)
    }
}
