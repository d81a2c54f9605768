import CZlib
import OpenMarket

/// Compresses bytes piece by piece into one gzip member (RFC 1952).
///
/// The same bytes give the same member, in whatever pieces they come: it carries no time and no name.
package final class GzipWriter {
    /// zlib keeps a pointer to it, so it has to stay where it is.
    private let stream: UnsafeMutablePointer<z_stream>
    private var room = [UInt8](repeating: 0, count: 1 << 16)

    /// A member without bytes.
    ///
    /// - Throws: ``CatalogFileError`` when there is no memory.
    package init() throws {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 is the largest window, 16 more ask for gzip's header and checksum.
        let code = deflateInit2_(
            stream,
            Z_DEFAULT_COMPRESSION,
            Z_DEFLATED,
            15 + 16,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard code == Z_OK else { throw CatalogFileError("cannot compress: zlib says \(code)") }
    }

    deinit {
        deflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Takes in bytes; returns what is compressed so far, which may be nothing.
    package func compress(_ bytes: [UInt8]) -> [UInt8] { deflate(bytes, Z_NO_FLUSH) }

    /// Ends the member; returns the rest of it.
    package func finish() -> [UInt8] { deflate([], Z_FINISH) }

    private func deflate(_ bytes: [UInt8], _ flush: Int32) -> [UInt8] {
        var bytes = bytes
        var output: [UInt8] = []
        bytes.withUnsafeMutableBufferPointer { input in
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = UInt32(input.count)
            // All is taken in, and all is given out, once zlib leaves room unused.
            repeat {
                room.withUnsafeMutableBufferPointer { room in
                    stream.pointee.next_out = room.baseAddress
                    stream.pointee.avail_out = UInt32(room.count)
                    _ = CZlib.deflate(stream, flush)
                }
                output += room.dropLast(Int(stream.pointee.avail_out))
            } while stream.pointee.avail_out == 0
        }
        return output
    }
}
