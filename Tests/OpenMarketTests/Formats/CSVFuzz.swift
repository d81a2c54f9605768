@testable import OpenMarket
@testable import OpenMarketTestSupport

/// What must hold for the CSV writer, whatever the texts: a strict reader gives them back.
enum CSVFuzz {
    /// What is wrong with the writer; `nil` when nothing is.
    ///
    /// Bytes that no UTF-8 text has cut the input: FE into records, FF into fields. An FD alone is an unset field.
    static func fault(_ bytes: [UInt8]) -> String? {
        var records = bytes.split(separator: 0xFE, omittingEmptySubsequences: false).map { record in
            record.split(separator: 0xFF, omittingEmptySubsequences: false).map { field in
                field.elementsEqual([0xFD]) ? nil : String(decoding: field, as: UTF8.self)
            }
        }
        let width = records.map(\.count).max() ?? 0
        for index in records.indices {
            records[index] += Array(repeating: nil, count: width - records[index].count)
        }
        var writer = CSVWriter()
        for record in records {
            for field in record { writer.append(field) }
            writer.endRecord()
        }
        do {
            let read = try StrictCSV(writer.bytes).records
            let written = records.map { $0.map { $0 ?? "" } }
            return read.map { $0.map { Array($0.utf8) } } == written.map { $0.map { Array($0.utf8) } }
                ? nil : "reads something else than was written"
        } catch {
            return "writes what cannot be read: \(error)"
        }
    }
}
