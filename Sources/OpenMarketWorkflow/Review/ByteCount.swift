import OpenMarket

/// A number of bytes for people, in powers of 1 000: `512 bytes`, `35 kB`, `1.2 MB`.
func byteCount(_ bytes: Int) -> String {
    switch bytes {
    case ..<1000: counted(bytes, "byte")
    case ..<1_000_000: "\(bytes / 1000) kB"
    default: "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
    }
}
