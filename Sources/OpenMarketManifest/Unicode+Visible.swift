extension Unicode.Scalar {
    /// Whether people see anything of it: neither a blank nor one of the marks that take no room.
    var isVisible: Bool {
        // U+2800 is a Braille cell without dots: a sign by Unicode's rules, and a blank to the eye.
        !isControlOrLineBreak && !properties.isWhitespace && !properties.isDefaultIgnorableCodePoint
            && value != 0x2800
    }

    /// Whether it is of Unicode's category of control characters, which has these and will get no others.
    var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

    /// Whether a text of one line cannot hold it: control characters, and U+2028 and U+2029, which end lines.
    var isControlOrLineBreak: Bool { isControl || value == 0x2028 || value == 0x2029 }
}

extension Span<UInt8> {
    /// Whether a look at the bytes shows that people see something of it and that it is one line; most other texts are
    /// so, too.
    var isKnownVisible: Bool {
        var isVisible = false
        for index in indices {
            let byte = self[index]
            // Control characters, and the first bytes of those beyond ASCII and of what ends lines.
            if byte < 0x20 || byte == 0x7F || byte == 0xC2 || byte == 0xE2 { return false }
            // A sign of ASCII, or a Hangul syllable.
            if (0x21...0x7E).contains(byte) || byte == 0xEB || byte == 0xEC { isVisible = true }
        }
        return isVisible
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether a text in UTF-8 has no control characters but tabs and line breaks.
    ///
    /// Hot: every text in double quotes passes here. No jumps, so that the compiler looks at many bytes in one step.
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
