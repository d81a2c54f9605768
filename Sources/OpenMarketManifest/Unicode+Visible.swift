extension Unicode.Scalar {
    /// Whether it is neither a blank nor a zero-width character.
    var isVisible: Bool {
        // U+2800 is a Braille cell without dots: a symbol according to Unicode, but it looks blank.
        !isControlOrLineBreak && !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
            && value != 0x2800
    }

    /// Whether it is in Unicode's category of control characters, which is stable.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

    /// Whether a one-line text cannot contain it: control characters, and the line ends U+2028 and U+2029.
    var isControlOrLineBreak: Bool { isControl || value == 0x2028 || value == 0x2029 }
}

extension Span<UInt8> {
    /// Fast path: whether the text is one visible line; false means undecided.
    var isKnownVisible: Bool {
        var isVisible = false
        for index in indices {
            let byte = self[index]
            // Control characters, and the first bytes of non-ASCII control characters and line ends.
            if byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xE2 { return false }
            // An ASCII character, or the first byte of a Hangul syllable.
            if (0x21...0x7E).contains(byte) || byte == 0xEB || byte == 0xEC { isVisible = true }
        }
        return isVisible
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether a text in UTF-8 is free of control characters except tabs and line breaks.
    ///
    /// Hot: runs on every text in double quotes. It has no branches, so that the compiler processes many bytes in one
    /// step.
    var isPrintable: Bool {
        var faults: UInt8 = 0
        for byte in self {
            let isBreak: UInt8 = byte == 0x09 ? 1 : byte == 0x0A ? 1 : byte == 0x0D ? 1 : 0
            faults |= (byte < 0x20 ? 1 : 0) & (1 - isBreak) | (byte == 0x7F ? 1 : 0)
        }
        // U+0080…U+009F.
        for index in indices.dropFirst() { faults |= (self[index - 1] == 0xC2 ? 1 : 0) & (self[index] < 0xA0 ? 1 : 0) }
        return faults == 0
    }
}
