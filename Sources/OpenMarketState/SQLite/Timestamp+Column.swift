import GRDB
import OpenMarket

extension Row {
    /// The timestamp of a column of milliseconds.
    func timestamp(atIndex index: Int) throws -> Timestamp {
        Timestamp(milliseconds: try decode(Int64.self, atIndex: index))
    }

    /// The timestamp of a column of milliseconds; `nil` if it is empty.
    func timestampIfPresent(atIndex index: Int) throws -> Timestamp? {
        try decode(Int64?.self, atIndex: index).map(Timestamp.init(milliseconds:))
    }
}
