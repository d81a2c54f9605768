extension StateEntry: DocumentRecord {
    package static var blank: StateEntry { StateEntry(key: "", id: MarketID(0), applied: ProductValues()) }

    package mutating func describe(_ members: inout DocumentMembers) {
        members.key("key", &key)
        members.required("id", &id)
        members.optional("vendor_id", &vendorID)
        members.required("applied", &applied)
        members.optional("shown", &shown, default: ProductValues())
        members.optional("sent_images", &images)
        members.optional("thumbnail_url", &thumbnailURL)
        members.optional("issued_at", &issuedAt)
        members.optional("secret", &secret)
        members.optional("protected", &isProtected, default: false)
        members.optional("origin", &origin)
    }
}

extension StateEntry.BoundImage: DocumentRecord {
    package static var blank: StateEntry.BoundImage {
        StateEntry.BoundImage(digest: .zero, reference: "")
    }

    package mutating func describe(_ members: inout DocumentMembers) {
        members.required("sha256", &digest)
        members.required("reference", &reference)
    }
}

extension StateMutation: DocumentRecord {
    package static var blank: StateMutation { .vendor(0) }

    package mutating func describe(_ members: inout DocumentMembers) {
        var (put, vendor): (StateEntry?, Int64?)
        var (removed, released, renamed, new): (String?, String?, String?, String?)
        var (id, origin, keys): (MarketID?, String?, [String]) = (nil, nil, [])
        if !members.isReading {
            switch self {
            case .put(let entry): put = entry
            case .remove(let key): removed = key
            case .release(let key, let product): (released, id) = (key, product)
            case .rename(let from, let to): (renamed, new) = (from, to)
            case .vendor(let number): vendor = number
            case .origin(let path, let listed): (origin, keys) = (path, listed)
            }
        }
        members.optional("put", &put)
        members.optional("remove", &removed)
        members.optional("release", &released)
        members.optional("id", &id)
        members.optional("rename", &renamed)
        members.optional("to", &new)
        members.optional("vendor_id", &vendor)
        members.optional("origin", &origin)
        members.optional("keys", &keys, default: [])
        guard members.isReading else { return }
        switch (put, removed, released, id, renamed, new, vendor, origin) {
        case (let entry?, nil, nil, nil, nil, nil, nil, nil): self = .put(entry)
        case (nil, let key?, nil, nil, nil, nil, nil, nil): self = .remove(key: key.composed)
        case (nil, nil, let key?, let id?, nil, nil, nil, nil): self = .release(key: key.composed, id: id)
        case (nil, nil, nil, nil, let old?, let new?, nil, nil): self = .rename(from: old.composed, to: new.composed)
        case (nil, nil, nil, nil, nil, nil, let number?, nil): self = .vendor(number)
        case (nil, nil, nil, nil, nil, nil, nil, let path?): self = .origin(path, keys: keys.map(\.composed))
        default: members.refuse("is not one change of the state")
        }
    }
}

extension KnownNamesakes: DocumentRecord {
    package static var blank: KnownNamesakes { KnownNamesakes() }

    package mutating func describe(_ members: inout DocumentMembers) {
        members.optional("vendor_id", &vendorID)
        members.required("others", &others)
        members.optional("contested", &contested, default: [])
        members.optional("unread_rows", &unreadRows, default: 0)
    }
}
