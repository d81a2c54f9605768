import CZlib
import OpenMarket

/// Decompresses gzip piece by piece; consecutive members are joined, as `gunzip` does.
@safe package final class GzipReader {
    /// zlib keeps a pointer to the stream, so its address must not change.
    private let stream: UnsafeMutablePointer<z_stream>
    private var room = [UInt8](repeating: 0, count: 1 << 16)
    private var isWhole = false

    /// Throws ``CatalogFileError`` if there is no memory.
    init() throws {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // 15 is the largest window; 16 more selects gzip's header and checksum.
        let code = unsafe inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw CatalogFileError("cannot decompress: zlib reports \(code)") }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// Decompresses a piece of the file and passes the result to `body`.
    ///
    /// Throws ``CatalogFileError`` if the data is not gzip or its checksum is wrong, and the errors of `body`.
    func decompress(_ bytes: [UInt8], _ body: ([UInt8]) throws -> Void) throws {
        var bytes = bytes
        try unsafe bytes.withUnsafeMutableBufferPointer { input in
            unsafe stream.pointee.next_in = input.baseAddress
            unsafe stream.pointee.avail_in = UInt32(input.count)
            var isFull = false
            while unsafe stream.pointee.avail_in > 0 || isFull {
                if isWhole {
                    unsafe inflateReset(stream)
                    isWhole = false
                }
                let code = unsafe room.withUnsafeMutableBufferPointer { room in
                    unsafe stream.pointee.next_out = room.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(room.count)
                    return unsafe inflate(stream, Z_NO_FLUSH)
                }
                switch code {
                case Z_OK, Z_BUF_ERROR: break
                case Z_STREAM_END: isWhole = true
                default: throw CatalogFileError("it is not a gzip file, or is damaged")
                }
                isFull = unsafe stream.pointee.avail_out == 0 && !isWhole
                if unsafe stream.pointee.avail_out < room.count {
                    try unsafe body(Array(room.dropLast(Int(stream.pointee.avail_out))))
                }
                if code == Z_BUF_ERROR { return }
            }
        }
    }

    /// Marks the end of the file; throws ``CatalogFileError`` if the file is truncated.
    func finish() throws {
        guard isWhole else { throw CatalogFileError("it is cut off") }
    }
}
