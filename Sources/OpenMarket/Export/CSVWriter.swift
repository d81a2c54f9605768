/// Writes delimited text as RFC 4180 wants it: UTF-8, CRLF, quotes doubled.
///
/// An unset value is an empty field, an empty text is `""`, so the two can be told apart.
public struct CSVWriter: Sendable {
    /// The bytes written so far; the caller takes them and calls ``removeAll()``.
    public private(set) var bytes: [UInt8] = []

    private let delimiter: UInt8
    private var isFirst = true

    /// A writer of comma-separated values, or of another delimiter's.
    public init(delimiter: UInt8 = UInt8(ascii: ",")) {
        self.delimiter = delimiter
    }

    /// Adds a value that needs no quotes: a number or a date.
    public mutating func append(plain text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    /// Adds a text; `nil` is unset.
    public mutating func append(_ text: String?) {
        separate()
        guard let text else { return }
        let needsQuotes =
            text.isEmpty
            || text.utf8.contains {
                $0 == UInt8(ascii: "\"") || $0 == delimiter || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
            }
        guard needsQuotes else {
            bytes.append(contentsOf: text.utf8)
            return
        }
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Ends the record.
    public mutating func endRecord() {
        bytes.append(UInt8(ascii: "\r"))
        bytes.append(UInt8(ascii: "\n"))
        isFirst = true
    }

    /// Forgets the bytes, keeping their room.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    private mutating func separate() {
        if !isFirst { bytes.append(delimiter) }
        isFirst = false
    }
}
