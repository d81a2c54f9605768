/// Prevents a spreadsheet from running a text as a formula, reversibly.
///
/// A spreadsheet runs a text that begins with `=`, `+`, `-` or `@`. Some also run one after a tab or a line break, or
/// with the wide forms `＝`, `＋`, `－` and `＠`.
///
/// A leading apostrophe turns it into plain text. A text that looks guarded gets one more apostrophe, so that `=1` and
/// `'=1` remain different, and ``unguarded(_:)`` exactly reverses ``guarded(_:)``.
package enum FormulaGuard {
    static let mark = UInt8(ascii: "'")

    /// Adds an apostrophe if the text would run as a formula, or looks guarded.
    static func guarded(_ text: String) -> String {
        text.withUTF8Span { isGuarded($0) } ? "'" + text : text
    }

    /// Removes the apostrophe that ``guarded(_:)`` adds.
    package static func unguarded(_ cell: String) -> String {
        cell.withUTF8Span { isUndone($0) } ? String(decoding: cell.utf8.dropFirst(), as: UTF8.self) : cell
    }

    /// Whether a text gets an apostrophe: any number of them, then a character that begins a formula.
    static func isGuarded(_ text: Span<UInt8>) -> Bool {
        guard let start = text.indices.first(where: { text[$0] != mark }) else { return false }
        return switch text[start] {
        case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), UInt8(ascii: "\t"),
            UInt8(ascii: "\n"), UInt8(ascii: "\r"):
            true
        // U+FF0B, U+FF0D, U+FF1D and U+FF20.
        case 0xEF where text.count >= start + 3:
            text[start + 1] == 0xBC && [0x8B, 0x8D, 0x9D, 0xA0].contains(text[start + 2])
        default: false
        }
    }

    /// Whether the guard added a cell's first apostrophe.
    static func isUndone(_ cell: Span<UInt8>) -> Bool { cell.first == mark && isGuarded(cell) }
}
