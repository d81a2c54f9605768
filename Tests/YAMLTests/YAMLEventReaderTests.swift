@testable import OpenMarket
import Testing
@testable import YAML

struct YAMLEventReaderTests {
    @Test func `events come with places counted from 1 in Unicode scalars`() throws {
        var reader = YAMLEventReader(Array("이름: &a 🦊 fox\nb: [*a, !env X]\n".utf8))
        var seen: [String] = []
        while try reader.next() != .streamEnd {
            let name = [reader.tag, reader.anchor].compactMap { $0 }.joined(separator: " ")
            let text = reader.kind == .scalar ? " \(reader.text)" : ""
            seen.append(
                "\(reader.kind)\(text)\(name.isEmpty ? "" : " " + name) "
                    + "\(reader.start.line):\(reader.start.column)-\(reader.end.line):\(reader.end.column)"
            )
        }
        #expect(
            seen == [
                "streamStart 1:1-1:1",
                "documentStart 1:1-1:1",
                "mappingStart 1:1-1:1",
                "scalar 이름 1:1-1:3",
                "scalar 🦊 fox a 1:5-1:13",
                "scalar b 2:1-2:2",
                "sequenceStart 2:4-2:5",
                "alias a 2:5-2:7",
                "scalar X !env 2:9-2:15",
                "sequenceEnd 2:15-2:16",
                "mappingEnd 3:1-3:1",
                "documentEnd 3:1-3:1",
            ]
        )
        #expect(try reader.next() == .streamEnd)
    }

    @Test func `a scalar may hold NUL`() throws {
        let node = try YAMLNode.parse(Array(#""a\0b""#.utf8))
        #expect(node?.text == "a\0b")
    }

    @Test(arguments: [1, 2, 3, 7, 64])
    func `the size of the chunks does not matter`(size: Int) throws {
        let text = Array("a: [1, 'zwei', \"三\"]\nb: |\n  x\n  y\nc: &m {d: e}\nf: *m\n".utf8)
        var offset = 0
        let reader = YAMLEventReader { () throws(YAMLError) -> [UInt8] in
            defer { offset = min(offset + size, text.count) }
            return Array(text[offset..<min(offset + size, text.count)])
        }
        var composer = YAMLComposer(reader)
        #expect(try composer.start())
        let node = try composer.compose()
        try composer.finish()
        #expect(try node.dump == YAMLNode.parse(text)?.dump)
    }

    @Test func `an error of the source comes through as it is`() throws {
        let failure = YAMLError(.input, "the disk is gone")
        var first = true
        var reader = YAMLEventReader { () throws(YAMLError) -> [UInt8] in
            guard first else { throw failure }
            first = false
            return Array("a: [1,".utf8)
        }
        var caught: YAMLError?
        do {
            while try reader.next() != .streamEnd {}
        } catch {
            caught = error
        }
        #expect(caught == failure)
    }

    @Test func `UTF-16 with a byte order mark is read`() throws {
        var bytes: [UInt8] = [0xFF, 0xFE]
        for unit in "이름: 램프".utf16 { bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        #expect(try YAMLNode.parse(bytes)?.dump == #"{이름: "램프"@1:5}"#)
    }

    @Test func `a UTF-8 byte order mark takes no column`() {
        #expect(parsed("\u{FEFF}a: b") == #"{a: "b"@1:4}"#)
    }

    @Test func `CRLF ends a line once`() {
        #expect(parsed("a: b\r\nc: d\r\n") == #"{a: "b"@1:4, c: "d"@2:4}"#)
    }
}
