@testable import OpenMarketServer

/// What must hold for the server's JSON parser, whatever the bytes.
enum WireFuzz {
    /// What is wrong with the parser; `nil` when nothing is.
    static func fault(_ bytes: [UInt8]) -> String? {
        guard let members = WireValue.object(in: bytes) else { return nil }
        return WireValue.object(in: bytes) == members ? nil : "reads otherwise the second time"
    }
}
