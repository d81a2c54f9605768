/// Keeps a spreadsheet from running a text as a formula, so that the text can be restored.
///
/// A spreadsheet runs what begins with `=`, `+`, `-` or `@`, some with a tab or a line break before it, some in their wide
/// forms, `＝`, `＋`, `－` and `＠`, too. An apostrophe
/// in front makes such a text a text. A text that has one already gets one more: only so are `=1` and `'=1` still two
/// texts, and ``unguarded(_:)`` gives back exactly what ``guarded(_:)`` was given.
package enum FormulaGuard {
    /// What precedes a text that would be run.
    static let mark = UInt8(ascii: "'")

    /// The text as a cell has it: with one apostrophe in front where it would be run, or reads as one that was guarded.
    static func guarded(_ text: String) -> String {
        text.withUTF8Span { isGuarded($0) } ? "'" + text : text
    }

    /// The text that a cell means: without the apostrophe that ``guarded(_:)`` puts in front.
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

    /// Whether a cell's first apostrophe is the guard's.
    static func isUndone(_ cell: Span<UInt8>) -> Bool { cell.first == mark && isGuarded(cell) }
}
