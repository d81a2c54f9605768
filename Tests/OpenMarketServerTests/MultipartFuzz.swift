@testable import OpenMarketServer

/// What must hold for the multipart parser, whatever the body.
enum MultipartFuzz {
    /// What is wrong with the parser; `nil` when nothing is.
    ///
    /// The first line of the input is the boundary.
    static func fault(_ input: [UInt8]) -> String? {
        let line = input.prefix { $0 != UInt8(ascii: "\n") }
        let boundary = String(decoding: line.prefix(70), as: UTF8.self)
        let body = Array(input.dropFirst(line.count + 1))
        guard let form = MultipartForm(body, boundary: boundary) else { return nil }
        if form.parts.reduce(0, { $0 + $1.body.count }) > body.count { return "more content than body" }
        // Names that this plain writer cannot spell are left out.
        let names = form.parts.flatMap { [$0.name, $0.fileName ?? ""] }
        guard !names.contains(where: { $0.unicodeScalars.contains { $0 == "\"" || $0 == "\\" } }) else { return nil }
        guard let again = MultipartForm(written(form, boundary), boundary: boundary) else {
            return "its own parts cannot be read again"
        }
        return again == form ? nil : "its own parts read otherwise"
    }

    private static func written(_ form: MultipartForm, _ boundary: String) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in form.parts {
            var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\""
            if let name = part.fileName { head += "; filename=\"\(name)\"" }
            bytes += Array(head.utf8) + Array("\r\n\r\n".utf8) + part.body + [0x0D, 0x0A]
        }
        return bytes + Array("--\(boundary)--".utf8)
    }
}
