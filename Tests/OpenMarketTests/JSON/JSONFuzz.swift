@testable import OpenMarket

/// What must hold for the JSON reader and writer, whatever the bytes.
enum JSONFuzz {
    /// What is wrong with them; `nil` when nothing is.
    static func fault(_ bytes: [UInt8]) -> String? {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue.parse(bytes)
        } catch {
            if !(0...bytes.count).contains(error.offset) { return "a fault outside of the text: \(error)" }
            // Skipping looks at the grammar alone.
            return error.isConfinedToValue || !canSkip(bytes) ? nil : "skips what cannot be read: \(error)"
        }
        guard canSkip(bytes) else { return "reads what cannot be skipped" }
        for pretty in [false, true] {
            let written = value.bytes(pretty: pretty)
            guard let again = try? JSONValue.parse(written) else { return "writes what cannot be read" }
            if again != value { return "reads something else than was written" }
            if again.bytes(pretty: pretty) != written { return "writes otherwise the second time" }
        }
        return nil
    }

    private static func canSkip(_ bytes: [UInt8]) -> Bool {
        do throws(JSONError) {
            try JSONReader.read(bytes) { reader throws(JSONError) in
                try reader.skipValue()
                try reader.finish()
            }
            return true
        } catch {
            return false
        }
    }
}

extension JSONError {
    /// Whether only one value is at fault, so that reading can go on behind it.
    var isConfinedToValue: Bool { kind == .invalidString || kind == .typeMismatch }
}
