import Crypto
import NIOCore
import OpenMarket

/// A request's body in pieces that the transport reads one by one: memory contains one piece, not the pictures.
///
/// If a picture has changed since it was checked, the stream ends before the body's end. So the market never receives a
/// complete request with wrong bytes.
struct BodyStream: Sendable {
    private var segments: ArraySlice<MultipartBody.Segment>
    private let progress: SendProgress
    private var offset = 0
    private var hash = SHA256()

    init(segments: [MultipartBody.Segment], progress: SendProgress) {
        self.segments = segments[...]
        self.progress = progress
    }

    var isAtEnd: Bool { segments.isEmpty }

    /// The next piece; `nil` at the end.
    ///
    /// Throws ``MarketError`` if a picture has changed since it was checked.
    mutating func next() throws(MarketError) -> ByteBuffer? {
        progress.bodyIsAskedFor()
        do throws(MarketError) {
            while let segment = segments.first {
                switch segment {
                case .bytes(let buffer):
                    segments.removeFirst()
                    return buffer
                case .file(let file):
                    if let piece = try nextPiece(of: file) { return piece }
                    segments.removeFirst()
                }
            }
            return nil
        } catch {
            progress.fail(error)
            throw error
        }
    }

    /// The next piece of a file; `nil` at its end, if it has not changed.
    private mutating func nextPiece(of file: PictureFile) throws(MarketError) -> ByteBuffer? {
        let left = file.picture.byteCount - offset
        guard left > 0 else {
            let digest = ContentDigest(bytes: hash.finalize())
            offset = 0
            hash = SHA256()
            guard digest == file.picture.digest else { throw file.changed }
            return nil
        }
        var buffer = ByteBuffer()
        var failure: MarketError?
        let count = unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: min(left, PictureFile.pieceSize)) {
            pointer in
            do throws(MarketError) {
                let window = unsafe UnsafeMutableRawBufferPointer(
                    rebasing: pointer.prefix(min(left, PictureFile.pieceSize))
                )
                let count = try unsafe file.read(from: offset, into: window)
                unsafe hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: window[..<count]))
                return count
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        guard count > 0 else { throw file.changed }
        offset += count
        return buffer
    }
}
