/// Reads RFC 4180 and nothing else: CRLF after every record, quotes doubled, no bare quote, the same number of fields.
struct StrictCSV: Sendable {
    let records: [[String]]

    struct Fault: Error {
        var what: String
        var offset: Int
    }

    init(_ bytes: [UInt8]) throws {
        var records: [[String]] = []
        var record: [String] = []
        var index = 0
        let special = Array(",\r\n\"".utf8)
        func fault(_ what: String) -> Fault { Fault(what: what, offset: index) }

        while index < bytes.count {
            var field: [UInt8] = []
            if bytes[index] == UInt8(ascii: "\"") {
                index += 1
                while true {
                    guard index < bytes.count else { throw fault("a quoted field does not end") }
                    guard bytes[index] == UInt8(ascii: "\"") else {
                        field.append(bytes[index])
                        index += 1
                        continue
                    }
                    index += 1
                    guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { break }
                    field.append(UInt8(ascii: "\""))
                    index += 1
                }
            } else {
                while index < bytes.count, !special.contains(bytes[index]) {
                    field.append(bytes[index])
                    index += 1
                }
            }
            guard let text = String(validating: field, as: UTF8.self) else { throw fault("not UTF-8") }
            record.append(text)
            guard index < bytes.count else { throw fault("the last record does not end with CRLF") }
            if bytes[index] == UInt8(ascii: ",") {
                index += 1
                continue
            }
            guard bytes[index...].starts(with: [13, 10]) else { throw fault("CRLF or a comma is expected") }
            index += 2
            guard record.count == (records.first ?? record).count else { throw fault("another number of fields") }
            records.append(record)
            record = []
        }
        guard record.isEmpty else { throw fault("the last record does not end") }
        self.records = records
    }

    /// The records after the header, by column.
    var rows: [[String: String]] {
        guard let header = records.first else { return [] }
        return records.dropFirst().map { Dictionary(zip(header, $0)) { $1 } }
    }
}
