extension JSONValue {
    /// What the state knows of a product, as in a line of an exported state.
    package init(_ entry: StateEntry) {
        let applied = entry.applied
        self = .object(
            of: ("currency", (applied.currency?.rawValue).map(JSONValue.string)),
            ("description", applied.description.map(JSONValue.string)),
            ("id", .integer(entry.id.rawValue)),
            ("images", applied.images.map { .array($0.map { .string($0.stateText) }) }),
            ("issued_at", entry.issuedAt.map(JSONValue.string)),
            ("key", .string(entry.key)),
            ("name", applied.name.map(JSONValue.string)),
            ("price", (applied.price?.description).map(JSONValue.string)),
            ("protected", entry.isProtected ? .bool(true) : nil),
            ("sale", (applied.sale?.stateText).map(JSONValue.string)),
            ("secret", entry.secret.map { .string($0.stateText) }),
            ("sent_images", entry.images.map { .array($0.map { JSONValue($0) }) }),
            ("stock", applied.stock.map { .integer($0) }),
            ("thumbnail", (applied.thumbnail?.stateText).map(JSONValue.string)),
            ("thumbnail_url", entry.thumbnailURL.map(JSONValue.string)),
            ("vendor_id", entry.vendorID.map { .integer($0) })
        )
    }

    private init(_ image: StateEntry.BoundImage) {
        self = .object(of: ("digest", .string(image.digest.hexadecimal)), ("reference", .string(image.reference)))
    }

    package init(_ mutation: StateMutation) {
        self =
            switch mutation {
            case .put(let entry): .object(of: ("put", JSONValue(entry)))
            case .remove(let key): .object(of: ("remove", .string(key)))
            case .release(let key, let id):
                .object(of: ("release", .object(of: ("key", .string(key)), ("id", .integer(id.rawValue)))))
            case .rename(let old, let new):
                .object(of: ("rename", .object(of: ("from", .string(old)), ("to", .string(new)))))
            case .vendor(let id): .object(of: ("vendor", .integer(id)))
            }
    }

    package init(_ namesakes: KnownNamesakes) {
        self = .object(
            of: ("vendor_id", namesakes.vendorID.map { .integer($0) }),
            ("others", .array(namesakes.others.map { .integer($0.rawValue) })),
            ("contested", namesakes.contested.isEmpty ? nil : .array(namesakes.contested.map(JSONValue.string)))
        )
    }
}

extension DocumentRead {
    /// What the state knows of a product; its key in composed form, as the state has it.
    package static func entry(_ value: DocumentValue) throws(DocumentError) -> StateEntry {
        try value.object { object throws(DocumentError) in
            StateEntry(
                key: try object.required("key", key),
                id: try object.required("id", id),
                vendorID: try object.optional("vendor_id", integer),
                applied: ProductValues(
                    name: try object.optional("name", text),
                    description: try object.optional("description", text),
                    price: try object.optional("price") { value throws(DocumentError) in
                        try value.read("a number in quotes") { $0.text.flatMap { ExactDecimal($0) } }
                    },
                    currency: try object.optional("currency", text).map(Currency.init(rawValue:)),
                    sale: try object.optional("sale") { value throws(DocumentError) in
                        try value.read("a sale") { $0.text.flatMap(Sale.init(stateText:)) }
                    },
                    stock: try object.optional("stock", integer),
                    images: try object.optional("images") { value throws(DocumentError) in try value.list(picture) },
                    thumbnail: try object.optional("thumbnail", picture)
                ),
                images: try object.optional("sent_images") { value throws(DocumentError) in
                    try value.list(sentImage)
                },
                thumbnailURL: try object.optional("thumbnail_url", text),
                issuedAt: try object.optional("issued_at", text),
                secret: try object.optional("secret", secret),
                isProtected: try object.optional("protected", truth) ?? false
            )
        }
    }

    private static func key(_ value: DocumentValue) throws(DocumentError) -> String {
        let key = try text(value)
        guard !key.isEmpty else { throw DocumentError("is empty", at: value.place) }
        return key.composed
    }

    private static func sentImage(_ value: DocumentValue) throws(DocumentError) -> StateEntry.BoundImage {
        try value.object { object throws(DocumentError) in
            StateEntry.BoundImage(
                digest: try object.required("digest", digest),
                reference: try object.required("reference", text)
            )
        }
    }

    package static func secret(_ value: DocumentValue) throws(DocumentError) -> SecretReference {
        try value.read("a reference to a secret") { $0.text.flatMap(SecretReference.init(stateText:)) }
    }

    package static func mutation(_ value: DocumentValue) throws(DocumentError) -> StateMutation {
        try value.object { object throws(DocumentError) in
            if let entry = try object.optional("put", entry) { return .put(entry) }
            if let key = try object.optional("remove", text) { return .remove(key: key.composed) }
            if let vendor = try object.optional("vendor", integer) { return .vendor(vendor) }
            if let release = try object.optional("release", release) { return release }
            return try object.required("rename", rename)
        }
    }

    private static func release(_ value: DocumentValue) throws(DocumentError) -> StateMutation {
        try value.object { object throws(DocumentError) in
            .release(key: try object.required("key", text).composed, id: try object.required("id", id))
        }
    }

    private static func rename(_ value: DocumentValue) throws(DocumentError) -> StateMutation {
        try value.object { object throws(DocumentError) in
            .rename(from: try object.required("from", text).composed, to: try object.required("to", text).composed)
        }
    }

    package static func namesakes(_ value: DocumentValue) throws(DocumentError) -> KnownNamesakes {
        try value.object { object throws(DocumentError) in
            KnownNamesakes(
                vendorID: try object.optional("vendor_id", integer),
                others: try object.required("others") { value throws(DocumentError) in try value.list(id) },
                contested: try object.optional("contested") { value throws(DocumentError) in try value.list(text) }
                    ?? []
            )
        }
    }
}
