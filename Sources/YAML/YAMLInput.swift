/// The source of a parser's bytes: chunks, fetched at libyaml's request.
///
/// libyaml has an unowned reference to it; the reader that owns both keeps it alive during every call.
final class YAMLInput {
    private var fetch: () throws(YAMLError) -> [UInt8]
    private var chunk: [UInt8] = []
    private var offset = 0
    private var isAtEnd = false

    /// Bytes delivered since the last event.
    var silentLength = 0
    /// The error that ended the reading early.
    private(set) var failure: YAMLError?

    private let limit: Int

    init(limit: Int, fetch: @escaping () throws(YAMLError) -> [UInt8]) {
        self.limit = limit
        self.fetch = fetch
    }

    /// Fills libyaml's buffer; false stops libyaml with a reader error, which ``failure`` explains.
    func read(into buffer: UnsafeMutableRawBufferPointer, count: inout Int) -> Bool {
        if offset == chunk.count, !isAtEnd {
            do {
                chunk = try fetch()
            } catch {
                failure = error
                return false
            }
            offset = 0
            isAtEnd = chunk.isEmpty
        }
        count = min(buffer.count, chunk.count - offset)
        silentLength += count
        guard silentLength <= limit else {
            failure = YAMLError(
                .limit,
                "a single value or comment here has more than \(limit / (1 << 20)) MiB"
            )
            return false
        }
        chunk.withUnsafeBytes { bytes in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
        }
        offset += count
        return true
    }
}
