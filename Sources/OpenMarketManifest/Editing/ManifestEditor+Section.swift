extension ManifestEditor {
    /// Opens a file; one without a section `products` gets an empty one behind its bytes.
    package static func listing(in bytes: [UInt8]) throws(Refusal) -> ManifestEditor {
        let editor = try ManifestEditor(bytes)
        guard !editor.listsProducts else { return editor }
        let gap = bytes.isEmpty ? "" : bytes.last == UInt8(ascii: "\n") ? "\n" : "\n\n"
        guard let longer = try? ManifestEditor(bytes + Array((gap + "products: []\n").utf8)), longer.listsProducts
        else { return editor }
        return longer
    }

    /// The edits of a file of this length; ``edits`` may be of one with a section behind it.
    package func edits(ofFirst length: Int) -> [Edit] {
        let (own, rest) = (
            edits.filter { $0.range.lowerBound < length }, edits.filter { $0.range.lowerBound >= length }
        )
        guard !rest.isEmpty else { return own }
        var tail: [UInt8] = []
        var end = length
        for edit in rest {
            tail += original[end..<edit.range.lowerBound] + edit.replacement
            end = edit.range.upperBound
        }
        return own + [Edit(range: length..<length, replacement: tail + original[end...])]
    }
}
