/// What distinguishes the product of a trial from every other one: letters made up for it, which its name, its key and its
/// description hold.
package struct TrialMark: Hashable, Sendable {
    /// The key of the operation, and of the product where the market carries keys.
    package let key: String

    /// Twelve hexadecimal digits.
    package var letters: Substring { key.suffix(Self.letterCount) }

    private static let letterCount = 12

    /// A mark that nothing has yet.
    ///
    /// - Parameter random: numbers in 0..<1.
    package init(random: () -> Double) {
        let halves = [random(), random()].map { String(Int($0 * Double(1 << 24)), radix: 16) }
        let letters = halves.map { String(repeating: "0", count: max(0, 6 - $0.count)) + $0 }.joined()
        key = "probe-" + letters
    }

    /// The mark of a trial that was journalled.
    init(of operation: PlannedOperation) { key = operation.key }

    /// Whether a product shows the mark: only then it is the trial's, whatever an answer said.
    package func isShown(by product: LiveProduct) -> Bool {
        [product.name, product.key, product.values.description].contains { text in
            text?.lowercased().contains(letters) ?? false
        }
    }
}

extension PlannedOperation {
    /// Whether it makes a product that is to go again: a trial of what a description says.
    package var isTrial: Bool { newProduct?.isTrial ?? false }
}
