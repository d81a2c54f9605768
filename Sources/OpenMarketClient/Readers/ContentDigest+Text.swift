import Crypto
import OpenMarket

extension ContentDigest {
    init(hashing bytes: Span<UInt8>) {
        var hash = SHA256()
        unsafe bytes.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        self.init(bytes: hash.finalize())
    }
}
