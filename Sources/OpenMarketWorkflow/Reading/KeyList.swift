import OpenMarket
import OpenMarketFiles

/// Keys of products in a file, one per line.
///
/// Surrounding blanks and empty lines are ignored; a line that begins with `#` is a comment.
package enum KeyList {
    /// Reads the keys from a file; `-` is standard input.
    package static func read(_ path: String) throws -> Set<String> {
        guard let text = String(validating: try InputFile.bytes(of: path), as: UTF8.self) else {
            let what = "--target-file: \(path == "-" ? "standard input" : path) is not UTF-8 text"
            throw CommandFailure(.invalidInput, what, help: "save the file as UTF-8")
        }
        return keys(in: text)
    }

    static func keys(in text: String) -> Set<String> {
        let lines = Substring(text.utf8.withoutUTF8Mark).unicodeScalars.split { $0 == "\n" || $0 == "\r" }
            .map { String($0).trimmed }
        return Set(lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }.map(\.composed))
    }
}
