/// Creates idempotency keys.
enum IdempotencyKey {
    /// A key of 128 random bits.
    static func next(_ random: () -> Double) -> String {
        (0..<4).map { _ in
            let digits = String(UInt32(random() * 0x1p32), radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }
        .joined()
    }
}
