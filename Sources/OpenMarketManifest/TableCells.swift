import OpenMarket
import YAML

/// The cells of a row: the only way from the bytes of a table to a value.
struct TableCells {
    private let row: CSVRow
    /// Whether the table is an export for spreadsheets, whose texts are escaped so that they do not run as formulas.
    private let isGuarded: Bool

    init(_ row: CSVRow, isGuarded: Bool) {
        self.row = row
        self.isGuarded = isGuarded
    }

    /// The row's number as a spreadsheet counts.
    var rowNumber: Int { row.number }

    /// The text of a cell and its damage, done by a person or a program; `nil` if the cell looks empty.
    func content(at cell: Int, of use: CellUse) -> (text: String, damage: CellDamage?)? {
        guard !row.isEmpty(at: cell) else { return nil }
        let size = row.withBytes(at: cell) { $0.count }
        guard size <= Self.largest else {
            return ("", .large(size, most: Self.largest))
        }
        var text = row.text(at: cell)
        // A program that turned each LF of a CRLF into CRLF wrote two CR.
        if use == .text, text.utf8.contains(13) { text = text.replacing("\r\r\n", with: "\r\n") }
        if isGuarded { text = FormulaGuard.unguarded(text) }
        if use.isTrimmed {
            text = text.trimmed
            if text.isEmpty { return nil }
        }
        return (text, CellDamage(of: text, use))
    }

    /// The same limit as for a value in YAML.
    private static let largest = YAMLLimits().scalarLength
}

enum CellDamage: Equatable {
    case error
    /// A program's word for a missing value.
    case nothing
    /// Replacement characters from reading a file in another character set.
    case lost
    case control(Unicode.Scalar)
    /// An invisible character in a name that identifies products.
    case invisible(Unicode.Scalar)
    /// More bytes than any value may have.
    case large(Int, most: Int)

    /// `nil` for an undamaged cell.
    init?(of text: String, _ use: CellUse) {
        guard use != .shown else { return nil }
        if Self.isNothing(text) {
            self = .nothing
            return
        }
        if text.withUTF8Span({ !$0.hasLostText && $0.isKnownPlain }) { return nil }
        if SpreadsheetError.isOne(use.isTrimmed ? text : text.trimmed) {
            self = .error
        } else if text.withUTF8Span({ $0.hasLostText }) {
            self = .lost
        } else if let control = text.unicodeScalars.first(where: { $0.isControl && !Self.mayHold($0, use) }) {
            self = .control(control)
        } else if use != .text, let hidden = text.firstInvisible {
            self = .invisible(hidden)
        } else {
            return nil
        }
    }

    /// Whether a text is exactly a word for a missing value that pandas, a database or a script writes.
    static func isNothing(_ text: String) -> Bool {
        text.utf8.count <= 15 && text.utf8.first.map(firstBytes.contains) == true && nothings.contains(text)
    }

    private static let firstBytes = Array("nN<(\\u[".utf8)
    private static let nothings: Set<String> = [
        "nan", "NaN", "NaT", "<NA>", "None", "null", "NULL", "(null)", "<null>", "\\N", "undefined", "[object Object]",
    ]

    /// Texts may have line breaks and tabs, and file names may be on separate lines.
    private static func mayHold(_ scalar: Unicode.Scalar, _ use: CellUse) -> Bool {
        guard use == .text || use == .path else { return false }
        return scalar == "\n" || scalar == "\r" || scalar == "\t"
    }

    var code: Diagnostic.Code {
        switch self {
        case .error, .nothing: .wrongType
        case .lost: .characterSet
        case .control, .invisible: .controlCharacter
        case .large: .textLength
        }
    }

    func message(_ text: String) -> String {
        switch self {
        case .error: "'\(text.excerpt)' is an error of the spreadsheet, not a value"
        case .nothing: "'\(text.excerpt)' is a program's text for a missing value"
        case .lost: "'\(text.excerpt)' \(LostText.message)"
        case .control(let scalar): "'\(text.excerpt)' has the control character \(scalar.codePoint)"
        case .invisible(let scalar): "'\(text.excerpt)' has the character \(scalar.codePoint), which is invisible"
        case .large(let size, let most): "this cell has \(size) bytes, and \(most) is the most a value may have"
        }
    }

    var help: String {
        switch self {
        case .error: "repair the formula, or take the value from the export"
        case .nothing: "empty the cell, or take the value from the export"
        case .lost: LostText.help
        case .control, .invisible: "write the cell again"
        case .large: "a quote may be missing or one too many"
        }
    }
}

/// Characters that a program wrote for those that it could not read.
package enum LostText {
    /// The fault, as a phrase that follows the text.
    static let message = "has lost characters: a program read it in another character set than it was written in"
    static let help = "take the text from an undamaged source, and import the file as UTF-8"

    /// The fault of a text, as a phrase that follows it; `nil` if the text is intact.
    package static func fault(of text: String) -> String? { text.withUTF8Span { $0.hasLostText } ? message : nil }

    /// U+FFFD, and its misread forms: in Windows-1252, in Mac Roman, and twice in Windows-949.
    fileprivate static let marks = ["\u{FFFD}", "ï¿½", "ÔøΩ", "占쏙옙"].map { Array($0.utf8) }
}

extension Span<UInt8> {
    /// Whether a text in UTF-8 has ``LostText``.
    ///
    /// Hot: runs on every name and description. It has no branches, so that the compiler processes many bytes in one
    /// step.
    var hasLostText: Bool {
        guard count > 1 else { return false }
        var hits: UInt8 = 0
        for index in 1..<count {
            let (first, second) = (self[index - 1], self[index])
            hits |= (first == 0xBF ? 1 : 0) & (second == 0xBD ? 1 : second == 0xC2 ? 1 : 0)
            hits |= (first == 0xB8 ? 1 : 0) & (second == 0xCE ? 1 : 0)
            hits |= (first == 0x8D ? 1 : 0) & (second == 0xA0 ? 1 : 0)
        }
        guard hits != 0 else { return false }
        return withUnsafeBufferPointer { bytes in
            LostText.marks.contains { mark in
                bytes.indices.contains { bytes[$0...].starts(with: mark) }
            }
        }
    }

    /// Fast path: a cell of printable ASCII without `#` and `:` has no spreadsheet error and no invisible character;
    /// false means undecided.
    fileprivate var isKnownPlain: Bool {
        allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: ":") }
    }
}

extension String {
    /// The first character without width, except inside an emoji, whose parts such characters join.
    var firstInvisible: Unicode.Scalar? {
        for character in self {
            let scalars = character.unicodeScalars
            guard let hidden = scalars.first(where: { !$0.isVisible && $0 != " " && !$0.properties.isWhitespace })
            else {
                continue
            }
            let isJoined =
                scalars.first?.properties.isEmoji == true && (hidden.value == 0x200D || hidden.value == 0xFE0F)
            if !isJoined { return hidden }
        }
        return nil
    }
}

extension Unicode.Scalar {
    /// The code point, such as `U+00A0`.
    var codePoint: String { "U+" + String(value, radix: 16, uppercase: true, width: 4) }
}
