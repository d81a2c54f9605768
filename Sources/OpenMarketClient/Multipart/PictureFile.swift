import Crypto
import struct NIOCore.ByteBuffer
import OpenMarket
import SystemPackage

/// A picture's file, open for sending.
///
/// No other type of the client reads files. Reading blocks its thread: these are local files of some hundred kilobytes,
/// so handing each piece to another thread would cost more than the reading.
final class PictureFile: Sendable {
    static let pieceSize = 64 << 10

    /// The expected content of the file.
    let picture: Picture
    private let descriptor: FileDescriptor

    /// Opens the file; throws ``MarketError``.
    init(_ picture: Picture) throws(MarketError) {
        self.picture = picture
        do {
            // Without the second option the call waits for the writer of a pipe that took the file's place.
            descriptor = try FileDescriptor.open(
                FilePath(picture.file),
                .readOnly,
                options: [.closeOnExec, .nonBlocking]
            )
        } catch Errno.tooManyOpenFiles {
            throw MarketError(.input, "\(picture.path) cannot be opened: \(TransportFailure.tooManyOpenFiles)")
        } catch {
            throw MarketError(.input, "\(picture.path) can no longer be opened: \(error)")
        }
        guard (try? Stat(descriptor))?.type == .regular else {
            throw MarketError(.input, "\(picture.path) is not a regular file")
        }
    }

    deinit {
        // The file was only read, so a failing close is harmless.
        try? descriptor.close()
    }

    /// The error for a file that has changed since it was checked.
    var changed: MarketError {
        MarketError(.input, "\(picture.path) changed since it was checked")
    }

    /// Reads into a buffer from an offset and returns the number of bytes, 0 at the end.
    ///
    /// Throws ``MarketError``.
    func read(from offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(MarketError) -> Int {
        do {
            return try unsafe descriptor.read(fromAbsoluteOffset: Int64(offset), into: buffer)
        } catch {
            throw MarketError(.input, "\(picture.path) can no longer be read: \(error)")
        }
    }

    /// Appends the whole file to a buffer, and checks that it has not changed.
    ///
    /// Throws ``MarketError`` if the file changed.
    func append(to buffer: inout ByteBuffer) throws(MarketError) {
        let wanted = picture.byteCount
        var failure: MarketError?
        // One byte more than expected reveals a file that grew.
        unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted + 1) { pointer in
            do throws(MarketError) {
                let window = unsafe UnsafeMutableRawBufferPointer(rebasing: pointer.prefix(wanted + 1))
                var count = 0
                while count < window.count {
                    let read = try unsafe read(
                        from: count,
                        into: UnsafeMutableRawBufferPointer(rebasing: window[count...])
                    )
                    guard read > 0 else { break }
                    count += read
                }
                let content = unsafe UnsafeRawBufferPointer(rebasing: window[..<count])
                guard count == wanted, unsafe ContentDigest(bytes: SHA256.hash(bytes: content)) == picture.digest else {
                    throw changed
                }
                return count
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
    }

    /// The whole file; throws ``MarketError`` if it changed.
    func bytes() throws(MarketError) -> [UInt8] {
        var buffer = ByteBuffer()
        try append(to: &buffer)
        return Array(buffer.readableBytesView)
    }

    /// Reads the whole file once; throws ``MarketError`` if it changed.
    func check() throws(MarketError) {
        var hash = SHA256()
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: Self.pieceSize)
        unsafe buffer.initialize(repeating: 0)
        defer { unsafe buffer.deallocate() }
        var offset = 0
        while offset <= picture.byteCount {
            let count = try unsafe read(from: offset, into: UnsafeMutableRawBufferPointer(buffer))
            guard count > 0 else { break }
            unsafe hash.update(bufferPointer: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: buffer[..<count])))
            offset += count
        }
        guard offset == picture.byteCount, ContentDigest(bytes: hash.finalize()) == picture.digest else {
            throw changed
        }
    }
}

extension SHA256 {
    fileprivate static func hash(bytes: UnsafeRawBufferPointer) -> SHA256Digest {
        var hash = SHA256()
        unsafe hash.update(bufferPointer: bytes)
        return hash.finalize()
    }
}
