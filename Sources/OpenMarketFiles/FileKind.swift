/// A kind of non-text file, recognized by its first bytes.
package struct FileKind: Sendable {
    /// The kind with its article: `an Excel workbook (.xlsx)`.
    package let name: String
    /// Advice to a user who meant a manifest or a table.
    package let help: String
    /// Whether it is a picture in another format, or may be one.
    package var isPicture: Bool { help == Self.picture }
    package let mayBeExport: Bool

    /// The first bytes of a SQLite database.
    package static let database = Array("SQLite format 3\0".utf8)
    package static let gzip: [UInt8] = [0x1F, 0x8B]

    /// The kind of a file with these first bytes; `nil` if it may be text.
    package init?(head: some Sequence<UInt8>) {
        let head = Array(head.prefix(24))
        guard let kind = Self.known.first(where: { $0.matches(head) }) else { return nil }
        name = kind.name
        help = kind.help
        mayBeExport = [Self.database, Self.gzip].contains(kind.bytes)
    }

    /// The `PRAGMA application_id` of a SQLite database; `nil` if the file is not one.
    package static func databaseID(of path: String) -> Int32? {
        guard let head = FileSystem.head(of: path, atMost: 72), head.count == 72, head.starts(with: database)
        else { return nil }
        return head[68..<72].reduce(0) { $0 << 8 | Int32($1) }
    }

    private struct Known {
        var bytes: [UInt8]
        var offset = 0
        var name: String
        var help: String

        func matches(_ head: [UInt8]) -> Bool { head.dropFirst(offset).starts(with: bytes) }
    }

    private static let table = "save it in the spreadsheet program as CSV UTF-8, and name that file"
    private static let picture = "a product names its pictures under 'images'"
    package static let pull = "run 'git lfs pull'"
    private static let text = "a manifest is a YAML text, and a table a CSV"

    private static let known: [Known] = [
        Known(bytes: [0x50, 0x4B, 0x03, 0x04], name: "an Excel workbook (.xlsx) or another ZIP archive", help: table),
        Known(
            bytes: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1],
            name: "an old Excel workbook (.xls)",
            help: table
        ),
        Known(bytes: [0x89, 0x50, 0x4E, 0x47], name: "a PNG picture", help: picture),
        Known(bytes: [0xFF, 0xD8, 0xFF], name: "a JPEG picture", help: picture),
        Known(bytes: Array("GIF8".utf8), name: "a GIF picture", help: picture),
        Known(bytes: Array("WEBP".utf8), offset: 8, name: "a WebP picture", help: picture),
        Known(bytes: Array("<svg".utf8), name: "an SVG picture", help: picture),
        Known(bytes: Array("ftyp".utf8), offset: 4, name: "a picture or a video", help: picture),
        Known(bytes: Array("version https://git-lfs".utf8), name: "a Git LFS pointer", help: pull),
        Known(bytes: Array("%PDF".utf8), name: "a PDF", help: text),
        Known(bytes: database, name: "an SQLite database", help: text),
        Known(bytes: gzip, name: "a gzip file (.gz)", help: "unpack it first with gunzip"),
        Known(bytes: Array("<!DOCTYPE".utf8), name: "a web page", help: text),
        Known(bytes: Array("<!doctype".utf8), name: "a web page", help: text),
        Known(bytes: Array("<html".utf8), name: "a web page", help: text),
        Known(bytes: Array("<?xml".utf8), name: "an XML text", help: text),
    ]
}
