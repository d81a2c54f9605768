extension Unicode.Scalar {
    /// The scalar's width in terminal columns: two for wide East Asian ones, so that carets align below Hangul.
    var columns: Int {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            2
        // Vowels and final consonants of a decomposed syllable share the columns of its first consonant.
        case 0x1160...0x11FF, 0xD7B0...0xD7FF: 0
        case _ where properties.generalCategory == .nonspacingMark || properties.generalCategory == .enclosingMark: 0
        default: 1
        }
    }
}

/// The cells of rows in columns, a line each, without blanks at the end.
func tableLines(_ rows: [[String]]) -> [String] {
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
    return rows.map { row in
        let line = zip(row, widths).map { $0.padded(to: $1) }.joined(separator: "  ")
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}

extension Collection {
    /// A line for each of the first twenty, and one for the number of the others.
    func firstLines(_ line: (Element) -> String, rest: (Int) -> String) -> [String] {
        let most = 20
        return prefix(most).map(line) + (count > most ? [rest(count - most)] : [])
    }
}

extension StringProtocol {
    var columns: Int {
        utf8.allSatisfy { 0x20..<0x7F ~= $0 } ? utf8.count : unicodeScalars.reduce(0) { $0 + $1.columns }
    }

    func padded(to columns: Int) -> String {
        String(self) + String(repeating: " ", count: Swift.max(columns - self.columns, 0))
    }
}
