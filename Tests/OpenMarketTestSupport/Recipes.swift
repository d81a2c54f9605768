import FoundationEssentials

/// The fenced code of the documents, and the files of the examples.
enum Recipes {
    /// A document has no such heading.
    struct Missing: Error, CustomStringConvertible {
        var description: String
    }

    /// A file of the repository.
    static func text(_ file: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return String(decoding: try Data(contentsOf: root.appendingPathComponent(file)), as: UTF8.self)
    }

    /// The blocks of a language, in order.
    static func blocks(_ language: String, of document: String, after heading: String = "") throws -> [String] {
        var text = Substring(try text(document))
        if !heading.isEmpty {
            guard let place = text.firstRange(of: "\n\(heading)\n") else {
                throw Missing(description: "\(document) has no '\(heading)'")
            }
            text = text[place.upperBound...]
        }
        return text.split(separator: "```\(language)\n").dropFirst().map { block in
            block.firstRange(of: "\n```").map { String(block[..<$0.lowerBound]) } ?? String(block)
        }
    }
}
