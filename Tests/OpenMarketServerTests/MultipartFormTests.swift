import Testing
@testable import OpenMarketServer

struct MultipartFormTests {
    private func parse(_ text: String, boundary: String = "B") throws -> [MultipartForm.Part] {
        try #require(MultipartForm(Array(text.utf8), boundary: boundary)).parts
    }

    @Test func `parts come out byte for byte`() throws {
        let form = Form().field("title", "Desk\r\nlamp").image("images[]").field("empty", "")
        #expect(
            MultipartForm(form.bytes, boundary: Form.boundary)?.parts == [
                .init(name: "title", body: Array("Desk\r\nlamp".utf8)),
                .init(name: "images[]", fileName: "lamp.jpeg", body: Form.jpeg),
                .init(name: "empty", body: []),
            ]
        )
    }

    @Test func `what precedes the first and after the last delimiter is left out`() throws {
        let text = "preamble\r\n--B \t\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--B--\r\nepilogue --B"
        #expect(try parse(text) == [.init(name: "a", body: [0x31])])
    }

    @Test func `a line that only begins like the delimiter is content`() throws {
        let text = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n--Bx\r\nx--B\r\n\n--B\r\n--B--"
        #expect(try parse(text) == [.init(name: "a", body: Array("--Bx\r\nx--B\r\n\n--B".utf8))])
    }

    @Test func `names may be quoted, escaped, bare and in any case of letters`() throws {
        let text = """
            --B\r
            CONTENT-type:text/plain; charset=utf-8\r
            content-DISPOSITION: Form-Data ;NAME="a\\"b;c"; filename="C:\\dir\\lämp.png"; name=second\r
            \r
            x\r
            --B--\r\n
            """
        #expect(
            try parse(text) == [
                .init(name: "a\"b;c", fileName: "C:\\dir\\lämp.png", body: [0x78])
            ]
        )
    }

    @Test(arguments: [
        // No delimiter, or one with another boundary or line end.
        "",
        "B\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\nB--",
        "--B\nContent-Disposition: form-data; name=a\n\n1\n--B--",
        "--B",
        "--B\r\n",
        "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--B\r\n",
        "--B\r\nContent-Disposition: form-data; name=a\r\n1\r\n--B--",
        "--B\r\nno colon\r\n\r\n1\r\n--B--",
        "--B\r\n\r\n1\r\n--B--",
        "--B\r\nContent-Disposition: attachment; name=a\r\n\r\n1\r\n--B--",
    ])
    func `a broken body is refused`(text: String) {
        #expect(MultipartForm(Array(text.utf8), boundary: "B") == nil)
    }

    @Test(arguments: ["--B\r\n", "--B", "--B\r\n\r\n", "--B--", "--B--\r\n"])
    func `rule 12: the final dashes may be missing where they need not be there`(end: String) throws {
        let form = Array("--B\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n\(end)".utf8)
        #expect(
            MultipartForm(form, boundary: "B", needsFinalDashes: false)?.parts == [.init(name: "a", body: [0x31])]
        )
        if !end.hasPrefix("--B--") {
            #expect(MultipartForm(form, boundary: "B") == nil)
        }
        // A last part without an end is not a part.
        let cut = Array(form.dropLast(end.utf8.count + 2))
        #expect(MultipartForm(cut, boundary: "B", needsFinalDashes: false) == nil)
    }

    @Test func `an empty form has no parts`() throws {
        #expect(try parse("--B--") == [])
    }

    @Test func `parts beyond all need are refused`() {
        let part = "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n"
        for (count, isTaken) in [(256, true), (257, false)] {
            let body = Array((String(repeating: part, count: count) + "--B--").utf8)
            #expect((MultipartForm(body, boundary: "B") != nil) == isTaken)
        }
    }
}

struct HeaderValueTests {
    @Test(arguments: [
        ("multipart/form-data; boundary=B4", "multipart/form-data", "B4"),
        ("Multipart/Form-Data;BOUNDARY=\"a b;c\"; charset=utf-8", "multipart/form-data", "a b;c"),
        ("multipart/form-data; boundary = x ", "multipart/form-data", "x"),
        ("multipart/form-data", "multipart/form-data", nil),
        ("; boundary=x", "", "x"),
        ("a; boundary=\"open", "a", "open"),
        ("", "", nil),
    ])
    func `a header is read leniently`(text: String, value: String, boundary: String?) {
        let header = HeaderValue(text)
        #expect(header.value == value)
        #expect(header.parameters["boundary"] == boundary)
    }
}

struct UploadTests {
    @Test(arguments: [
        ("a.jpeg", ".jpeg"), ("A.JPG", ".JPG"), ("archive.tar.gz", ".gz"), ("noext", ""), ("", ""), (".png", ".png"),
        ("../../etc/passwd", ""), ("a.png/../b", ""), ("C:\\x\\y.png", ".png"), ("a.p g", ""), ("a.", ""), ("a.그림", ""),
        ("a.abcdefghijk", ""),
    ])
    func `only a plain extension of a file's name is kept`(name: String, expected: String) {
        let part = MultipartForm.Part(name: "images", fileName: name, body: [1])
        #expect(Upload(part) == Upload(bytes: [1], fileExtension: expected))
    }
}
