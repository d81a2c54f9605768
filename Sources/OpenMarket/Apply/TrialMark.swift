/// The random letters that identify the product of a trial: its name, key and description contain them.
package struct TrialMark: Hashable, Sendable {
    /// The key of the operation, and of the product if the market carries keys.
    package let key: String

    /// Twelve hexadecimal digits.
    package var letters: Substring { key.suffix(12) }

    /// `random` returns numbers in 0..<1.
    package init(random: () -> Double) {
        let halves = [random(), random()].map { String(Int($0 * Double(1 << 24)), radix: 16, width: 6) }
        key = "probe-" + halves.joined()
    }

    init(of operation: PlannedOperation) { key = operation.key }

    /// Whether a product shows the mark; only then does it belong to the trial, whatever a reply states.
    package func isShown(by product: LiveProduct) -> Bool {
        [product.name, product.key, product.values.description].contains { text in
            text?.lowercased().contains(letters) ?? false
        }
    }
}

extension PlannedOperation {
    /// Whether it creates a temporary product, as a trial of a description.
    package var isTrial: Bool { newProduct?.isTrial ?? false }
}
