import GRDB
import OpenMarket

extension Row {
    /// A column of milliseconds.
    func timestamp(atIndex index: Int) throws -> Timestamp {
        Timestamp(milliseconds: try decode(Int64.self, atIndex: index))
    }

    /// A column of milliseconds that may be empty.
    func timestampIfPresent(atIndex index: Int) throws -> Timestamp? {
        try decode(Int64?.self, atIndex: index).map(Timestamp.init(milliseconds:))
    }
}
