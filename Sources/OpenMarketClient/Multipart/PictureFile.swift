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
        guard let stat = try? Stat(descriptor), stat.type == .regular else {
            throw MarketError(.input, "\(picture.path) is not a regular file")
        }
        guard stat.size == picture.byteCount else { throw changed }
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

    /// Appends the whole file to a buffer; throws ``MarketError`` if it changed.
    func append(to buffer: inout ByteBuffer) throws(MarketError) {
        var stream = BodyStream(segments: [.file(self)], progress: SendProgress())
        while let piece = try stream.next() { buffer.writeImmutableBuffer(piece) }
    }

    /// The whole file; throws ``MarketError`` if it changed.
    func bytes() throws(MarketError) -> [UInt8] {
        var buffer = ByteBuffer()
        try append(to: &buffer)
        return Array(buffer.readableBytesView)
    }

    /// Reads the whole file once; throws ``MarketError`` if it changed.
    func check() throws(MarketError) {
        var stream = BodyStream(segments: [.file(self)], progress: SendProgress())
        while try stream.next() != nil {}
    }
}
