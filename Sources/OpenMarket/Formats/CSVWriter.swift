/// Writes delimited text according to RFC 4180: UTF-8, CRLF, doubled quotes.
///
/// An unset value is an empty field, an empty text is `""`, which distinguishes them.
struct CSVWriter: Sendable {
    private var output = ByteOutput()
    private let delimiter: UInt8
    private var isFirst = true
    /// Whether an unset value is `""` as well.
    ///
    /// In a table of one column it would be an empty line, which readers skip, and the record would be lost.
    var quotesUnset = false
    /// See ``FormulaGuard``.
    var guardsFormulas = false

    init(delimiter: UInt8 = UInt8(ascii: ",")) {
        self.delimiter = delimiter
    }

    /// Adds U+FEFF, so that a spreadsheet recognizes UTF-8.
    mutating func appendByteOrderMark() {
        for byte in UTF8Mark.bytes { output.append(byte) }
    }

    var bytes: [UInt8] { output.bytes }

    var byteCount: Int { output.count }

    /// Returns the bytes and removes them.
    mutating func takeBytes() -> [UInt8] { output.take() }

    /// `nil` is unset.
    mutating func append(_ text: String?) {
        if let text { put(text) } else { putUnset() }
    }

    mutating func endRecord() {
        unsafe output.append(atMost: 2) { target in
            unsafe target[0] = UInt8(ascii: "\r")
            unsafe target[1] = UInt8(ascii: "\n")
            return 2
        }
        isFirst = true
    }

    private mutating func append(_ text: Span<UInt8>) {
        let delimiter = delimiter
        let isGuarded = guardsFormulas && FormulaGuard.isGuarded(text)
        unsafe field(atMost: 2 * text.count + 3) { target in
            let mark = isGuarded ? 1 : 0
            guard text.isEmpty || text.endOfPlainCell(delimiter, from: 0) < text.count else {
                if isGuarded { unsafe target.pointee = FormulaGuard.mark }
                unsafe (target + mark).copy(text)
                return mark + text.count
            }
            unsafe target[0] = UInt8(ascii: "\"")
            if isGuarded { unsafe target[1] = FormulaGuard.mark }
            return unsafe 1 + mark + Self.quote(text, into: target + 1 + mark)
        }
    }

    @inline(__always)
    private mutating func field(atMost most: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        let (isFirst, delimiter) = (isFirst, delimiter)
        unsafe output.append(atMost: most + 1) { target in
            guard !isFirst else { return unsafe body(target) }
            unsafe target.pointee = delimiter
            return unsafe 1 + body(target + 1)
        }
        self.isFirst = false
    }

    /// Writes a text and its closing quote, with quotes doubled; returns the length.
    private static func quote(_ text: Span<UInt8>, into target: UnsafeMutablePointer<UInt8>) -> Int {
        var count = 0
        var index = 0
        while index < text.count {
            let run = text.firstIndex(of: UInt8(ascii: "\""), from: index)
            unsafe (target + count).copy(text.extracting(index..<run))
            count += run - index
            index = run
            guard run < text.count else { break }
            unsafe target[count] = UInt8(ascii: "\"")
            unsafe target[count + 1] = UInt8(ascii: "\"")
            count += 2
            index += 1
        }
        unsafe target[count] = UInt8(ascii: "\"")
        return count + 1
    }
}

extension CSVWriter: CatalogRecordWriter {
    package mutating func put(_ text: some CatalogText) { text.lendUTF8 { append($0) } }

    package mutating func put(_ number: Int64) { unsafe field(atMost: 20) { unsafe $0.write(number) } }

    package mutating func put(_ number: ExactDecimal) { unsafe field(atMost: 22) { unsafe $0.write(number) } }

    package mutating func put(_ texts: [String]) { put(texts.joined(separator: " ")) }

    package mutating func putUnset() { if quotesUnset { put("") } else { unsafe field(atMost: 0) { _ in 0 } } }
}

extension UnsafeMutablePointer<UInt8> {
    fileprivate func copy(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            if let base = bytes.baseAddress { unsafe update(from: base, count: bytes.count) }
        }
    }
}
