@testable import OpenMarket

/// What must hold for exports that are read back, whatever the bytes.
enum CatalogFuzz {
    /// What is wrong with the readers of rows and lines; `nil` when nothing is.
    static func fault(_ bytes: [UInt8]) -> String? {
        let whole = read(bytes, by: max(bytes.count, 1))
        if whole.words?.isEmpty == true { return "an error without words" }
        for length in [1, 7] where read(bytes, by: length) != whole { return "reads otherwise in pieces of \(length)" }
        return nil
    }

    private struct Outcome: Equatable {
        var rows: [CatalogRow] = []
        var words: String?
    }

    /// All rows, or those before an error, and the error.
    private static func read(_ bytes: [UInt8], by length: Int) -> Outcome {
        var outcome = Outcome()
        var reader = CatalogTextReader(ids: .number)
        do {
            var rest = bytes[...]
            while !rest.isEmpty {
                try reader.read(Array(rest.prefix(length))) { outcome.rows.append($0) }
                rest = rest.dropFirst(length)
            }
            try reader.finish { outcome.rows.append($0) }
        } catch {
            outcome.words = (error as? CatalogFileError)?.message ?? "\(error)"
        }
        return outcome
    }
}
