public import OpenMarket

/// Where the bytes of an export go.
public protocol ExportSink: ~Copyable {
    /// Takes the next bytes.
    mutating func write(_ bytes: [UInt8]) throws

    /// The SHA-256 of all that was written.
    var digest: ContentDigest { get }
}
