import OpenMarket

/// Changes of entries for one statement: at most one change for each key, in any order.
struct StateChanges {
    private(set) var puts: [String: StateEntry] = [:]
    /// The keys to drop; one with a product is dropped only if it belongs to that product.
    private(set) var drops: [String: MarketID?] = [:]
    private(set) var vendor: Int64?

    var isEmpty: Bool { puts.isEmpty && drops.isEmpty && vendor == nil }

    /// Adds a change if it is compatible with the earlier ones, and returns whether it is.
    mutating func add(_ mutation: StateMutation) -> Bool {
        switch mutation {
        case .put(let entry):
            // The product that had the key is dropped with its row.
            drops[entry.key] = nil
            puts[entry.key] = entry
        case .remove(let key):
            puts[key] = nil
            drops[key] = .some(nil)
        case .release(let key, let id):
            if let put = puts[key] {
                guard put.id == id else { return true }
                puts[key] = nil
                drops[key] = .some(nil)
            } else if let drop = drops[key] {
                // The key belongs to two products in turn: the second can be checked only after the first is gone.
                if let other = drop, other != id { return false }
            } else {
                drops[key] = .some(id)
            }
        case .rename, .origin: return false
        case .vendor(let id): vendor = id
        }
        return true
    }

    /// The keys to drop, the entries to write, and the vendor, as ``StateTables/changeEntries`` takes them; NULL if
    /// there are none.
    var parameters: [Parameter] {
        func list(_ count: Int, _ write: (inout JSONWriter) -> Void) -> Parameter {
            var writer = JSONWriter()
            writer.array(write)
            return Parameter(json: count > 0 ? writer.bytes : nil)
        }
        return [
            list(drops.count) { writer in
                for (key, id) in drops.sorted(by: { $0.key < $1.key }) {
                    writer.object { writer in
                        writer.member("key", key.withoutNUL)
                        writer.member("id", id?.column)
                    }
                }
            },
            list(puts.count) { writer in
                for put in puts.values { put.writeColumns(to: &writer) }
            },
            Parameter(vendor),
        ]
    }
}

extension StateEntry {
    /// Writes the row as an object keyed by column name, without NUL in its texts.
    func writeColumns(to writer: inout JSONWriter) {
        writer.object { writer in
            for column in EntryColumn.allCases {
                switch value(of: column) {
                case .text(let text): writer.member(column.name, text.withoutNUL)
                case .integer(let number): writer.member(column.name, number)
                case .id(let id): writer.member(column.name, id.column)
                case .flag(let isSet): writer.member(column.name, isSet)
                case nil: break
                }
            }
        }
    }
}
