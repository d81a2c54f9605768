import OpenMarket

extension JSONValue {
    /// The largest JSON of a request in bytes: several times what the longest texts take.
    private static let largestRequest = 1 << 20

    /// Reads the JSON of a request; `nil` if it is none, nested too deep, or too large.
    init?(request bytes: [UInt8]) {
        // Jackson skips a byte order mark.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
        guard bytes.count <= Self.largestRequest, let value = try? JSONValue.parse(bytes) else { return nil }
        self = value
    }
}
