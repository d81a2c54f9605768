import OpenMarket

/// The values of a create, in a separate table until the product's entry has the same values.
///
/// Otherwise a catalog of 100 000 creates would be in the file twice. Before an entry changes, its values are copied
/// back here.
struct CreateContents {
    /// The values as a JSON document.
    let wanted: String
    /// The picture files; `nil` after an entry has the values.
    let pictures: String?
}

extension CreateContents {
    init(_ product: NewProduct) {
        wanted = Self.document(product.values)
        pictures =
            product.pictures.isEmpty
            ? nil : String(decoding: product.pictures.document.bytes(), as: UTF8.self)
    }

    init(_ entry: StateEntry) {
        self.init(wanted: Self.document(entry.applied), pictures: nil)
    }

    /// The values as stored: equal documents mean equal values, byte for byte.
    static func document(_ values: ProductValues) -> String {
        String(decoding: values.document.bytes(), as: UTF8.self)
    }

    func values() throws -> ProductValues {
        try ProductValues(document: DocumentValue(JSONValue.parse(Array(wanted.utf8)), at: "wanted"))
    }

    /// The picture files; `nil` if they are no longer kept.
    func files() throws -> [Picture]? {
        try pictures.map { text in
            try [Picture](document: DocumentValue(JSONValue.parse(Array(text.utf8)), at: "pictures"))
        }
    }

    /// Pictures that were sent; only their paths and digests are kept.
    static func pictures(_ paths: [String], of images: [PictureIdentity]) -> [Picture] {
        zip(paths, images).compactMap { path, image in
            guard case .digest(let digest) = image else { return nil }
            return Picture(path: path, file: path, digest: digest, byteCount: 0, format: .jpeg, width: 0, height: 0)
        }
    }
}
