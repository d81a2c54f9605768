import OpenMarket
import OpenMarketFiles

/// Keys of products in a file: one a line, blanks around it and empty lines aside; a line that begins with `#` is a comment.
enum KeyList {
    /// Reads the keys.
    ///
    /// - Parameter path: the file; `-` is standard input.
    /// - Returns: the keys.
    /// - Throws: ``CommandFailure`` with exit 4 for what cannot be read.
    static func read(_ path: String) throws -> Set<String> {
        let name = path == "-" ? "standard input" : path
        let bytes = try InputFile.bytes(of: path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(
                .invalidInput,
                "\(Setting.targetFile.flag): \(name) is not UTF-8 text",
                help: "save the file as UTF-8"
            )
        }
        return keys(in: text)
    }

    /// The keys in a text.
    static func keys(in text: String) -> Set<String> {
        var text = text[...]
        if text.unicodeScalars.first == "\u{FEFF}" { text.unicodeScalars.removeFirst() }
        let lines = text.unicodeScalars.split { $0 == "\n" || $0 == "\r" }.map { line in
            let start = line.drop { $0.properties.isWhitespace }
            let length = start.reversed().drop { $0.properties.isWhitespace }.count
            return String(String.UnicodeScalarView(start.prefix(length)))
        }
        return Set(lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.map(\.composed))
    }
}
