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
