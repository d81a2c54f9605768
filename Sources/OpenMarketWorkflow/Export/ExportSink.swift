import OpenMarket

protocol ExportSink: ~Copyable {
    /// Takes the next bytes: whole rows, and what precedes and follows them.
    mutating func write(_ bytes: [UInt8]) throws

    /// Ends the export; nothing is written after it.
    mutating func finish() throws

    /// The SHA-256 of the output, once it is finished.
    var digest: ContentDigest { get }
}
