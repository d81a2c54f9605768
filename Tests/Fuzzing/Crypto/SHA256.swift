/// Replaces the library's SHA-256 in the fuzzers, which care for parsers and not for digests.
///
/// The library compiles all of BoringSSL with it, longer than the fuzzers take for everything else.
public struct SHA256 {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// The digest of nothing yet.
    public init() {}

    /// Takes in more bytes.
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {
        for byte in bufferPointer { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    /// Takes in more bytes.
    public mutating func update(data: [UInt8]) {
        data.withUnsafeBytes { update(bufferPointer: $0) }
    }

    /// 32 bytes that depend on all of the bytes.
    public static func hash(data: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(data: data)
        return hash.finalize()
    }

    /// 32 bytes that depend on all that was taken in.
    public func finalize() -> [UInt8] {
        (0..<32).map { index in UInt8(truncatingIfNeeded: state >> UInt64(index % 8 * 8)) &+ UInt8(index / 8) }
    }
}
