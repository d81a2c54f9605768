import Crypto
import struct NIOCore.ByteBuffer
import OpenMarket
import SystemPackage

/// A picture's file, read for sending.
///
/// No other type of the client reads files. Reading blocks its thread: these are local files of some hundred kilobytes,
/// so handing each piece to another thread would cost more than the reading.
struct PictureFile {
    /// The expected content of the file.
    let picture: Picture

    /// Appends the whole file to a buffer; throws ``MarketError`` if it changed since it was checked.
    func append(to buffer: inout ByteBuffer) throws(MarketError) {
        let descriptor = try open()
        // The file was only read, so a failing close is harmless.
        defer { try? descriptor.close() }
        let wanted = picture.byteCount
        var failure: MarketError?
        // One byte more than expected reveals a file that grew.
        unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted + 1) { pointer in
            do {
                let window = unsafe UnsafeMutableRawBufferPointer(rebasing: pointer.prefix(wanted + 1))
                var count = 0
                while count < window.count {
                    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: window[count...])
                    let read = try unsafe descriptor.read(into: rest)
                    guard read > 0 else { break }
                    count += read
                }
                let content = unsafe UnsafeRawBufferPointer(rebasing: window[..<count])
                var hash = SHA256()
                unsafe hash.update(bufferPointer: content)
                if count == wanted, ContentDigest(bytes: hash.finalize()) == picture.digest { return count }
                failure = MarketError(.input, "\(picture.path) changed since it was checked")
            } catch {
                failure = MarketError(.input, "\(picture.path) can no longer be read: \(error)")
            }
            return 0
        }
        if let failure { throw failure }
    }

    private func open() throws(MarketError) -> FileDescriptor {
        do {
            return try FileDescriptor.open(FilePath(picture.file), .readOnly, options: .closeOnExec)
        } catch Errno.tooManyOpenFiles {
            throw MarketError(.input, "\(picture.path) cannot be opened: \(TransportFailure.tooManyOpenFiles)")
        } catch {
            throw MarketError(.input, "\(picture.path) can no longer be opened: \(error)")
        }
    }

    /// The whole file; throws ``MarketError`` if it changed.
    func bytes() throws(MarketError) -> [UInt8] {
        var buffer = ByteBuffer()
        try append(to: &buffer)
        return Array(buffer.readableBytesView)
    }
}
