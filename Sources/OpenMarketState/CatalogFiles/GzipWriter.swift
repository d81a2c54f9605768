import CZlib
import OpenMarket

/// Compresses bytes piece by piece into one gzip member (RFC 1952).
///
/// The same bytes yield the same member, however they are split: it is without a time and a name.
@safe package final class GzipWriter {
    /// zlib keeps a pointer to the stream, so its address must not change.
    private let stream: UnsafeMutablePointer<z_stream>
    private var room = [UInt8](repeating: 0, count: 1 << 16)

    /// Throws ``CatalogFileError`` if there is no memory.
    init(level: Int32 = Z_DEFAULT_COMPRESSION) throws {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // 15 is the largest window; 16 more selects gzip's header and checksum.
        let code = unsafe deflateInit2_(
            stream,
            level,
            Z_DEFLATED,
            15 + 16,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard code == Z_OK else { throw CatalogFileError("cannot compress: zlib reports \(code)") }
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deinitialize(count: 1)
        unsafe stream.deallocate()
    }

    /// Compresses bytes and returns the output so far, which may be empty.
    func compress(_ bytes: [UInt8]) -> [UInt8] { deflate(bytes, Z_NO_FLUSH) }

    func finish() -> [UInt8] { deflate([], Z_FINISH) }

    private func deflate(_ bytes: [UInt8], _ flush: Int32) -> [UInt8] {
        var bytes = bytes
        var output: [UInt8] = []
        unsafe bytes.withUnsafeMutableBufferPointer { input in
            unsafe stream.pointee.next_in = input.baseAddress
            unsafe stream.pointee.avail_in = UInt32(input.count)
            // zlib has consumed all input and written all output when it leaves buffer space unused.
            repeat {
                unsafe room.withUnsafeMutableBufferPointer { room in
                    unsafe stream.pointee.next_out = room.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(room.count)
                    _ = unsafe CZlib.deflate(stream, flush)
                }
                unsafe output += room.prefix(room.count - Int(stream.pointee.avail_out))
            } while unsafe stream.pointee.avail_out == 0
        }
        return output
    }
}
