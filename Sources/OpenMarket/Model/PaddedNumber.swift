extension String {
    /// A number that is not negative, with zeros before it up to a width.
    package init(_ number: some BinaryInteger, radix: Int = 10, uppercase: Bool = false, width: Int) {
        let digits = String(number, radix: radix, uppercase: uppercase)
        self = String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}
