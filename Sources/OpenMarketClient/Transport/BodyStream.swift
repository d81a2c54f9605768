import Crypto
import NIOCore
import OpenMarket

/// A request's body as the pieces that the transport takes one by one: memory holds one piece, not the pictures.
///
/// A picture that is no longer what was checked breaks the stream off before the body's end, so that the market never
/// has a whole request with wrong bytes in it.
struct BodyStream: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let segments: [MultipartBody.Segment]
    let progress: SendProgress

    func makeAsyncIterator() -> Iterator {
        Iterator(segments: segments[...], progress: progress)
    }

    struct Iterator: AsyncIteratorProtocol {
        var segments: ArraySlice<MultipartBody.Segment>
        let progress: SendProgress
        private var offset = 0
        private var hash = SHA256()

        init(segments: ArraySlice<MultipartBody.Segment>, progress: SendProgress) {
            self.segments = segments
            self.progress = progress
        }

        mutating func next() async throws -> ByteBuffer? {
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

        /// The next piece of a file; `nil` at its end, when it was what it should be.
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
            let count = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Swift.min(left, PictureFile.pieceSize))
            {
                pointer in
                do throws(MarketError) {
                    let window = UnsafeMutableRawBufferPointer(
                        rebasing: pointer.prefix(Swift.min(left, PictureFile.pieceSize))
                    )
                    let count = try file.read(from: offset, into: window)
                    hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: window[..<count]))
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
}
