@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

struct CSVReaderTests {
    /// Reads bytes in pieces of a length; cells without a value are `nil`.
    private func rows(_ bytes: [UInt8], by length: Int = .max, delimiter: UInt8? = nil) throws -> [[String?]] {
        var reader = CSVReader(delimiter: delimiter)
        var rows: [[String?]] = []
        func take() throws {
            while try reader.next() {
                let row = reader.row
                rows.append((0..<row.count).map { row.isUnset(at: $0) ? nil : row.text(at: $0) })
            }
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            reader.feed(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
            try take()
        }
        reader.finish()
        try take()
        return rows
    }

    private func rows(_ text: String) throws -> [[String?]] { try rows(Array(text.utf8)) }

    @Test(arguments: [",", ";", "\t"])
    func `the header says what separates cells`(delimiter: String) throws {
        let text = ["id,name|price", "1,a|2"].map { $0.split(separator: ",").joined(separator: delimiter) }
            .joined(separator: "\n")
        #expect(try rows(text) == [["id", "name|price"], ["1", "a|2"]])
        // What is in quotes separates nothing.
        #expect(try rows("\"a,;\t,;\t\"\(delimiter)b\n") == [["a,;\t,;\t", "b"]])
    }

    @Test func `a mark of byte order, either end of a line, and none at the end`() throws {
        #expect(try rows("\u{FEFF}id,name\r\n1,a\n2,b") == [["id", "name"], ["1", "a"], ["2", "b"]])
        // Doubled by a program that ends each line once more.
        #expect(try rows("id,name\r\r\n1,a\r\r\r\n2,\"b\"\r\r\n") == [["id", "name"], ["1", "a"], ["2", "b"]])
        #expect(try rows("") == [])
        #expect(try rows("\u{FEFF}") == [])
        #expect(try rows("id\n\n1\r\n\r\n") == [["id"], ["1"]])
    }

    @Test(arguments: [1, 2, 3, 100])
    func `a mark of byte order is known with the first row, however the bytes come`(length: Int) throws {
        for (text, hasMark) in [("\u{FEFF}id\n1\n", true), ("id\n\u{FEFF}1\n", false), ("a\n", false)] {
            var reader = CSVReader()
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                reader.feed(Array(rest.prefix(length)))
                rest = rest.dropFirst(length)
                if try reader.next() { break }
            }
            #expect(reader.hasMark == hasMark)
        }
    }

    @Test func `quotes, line breaks and delimiters in quotes, and an empty text beside no value`() throws {
        #expect(
            try rows("a,b,c\r\n\"x \"\"y\"\"\",\"1\r\n2\n3\",\"\"\r\n,\",\",\r\n") == [
                ["a", "b", "c"], ["x \"y\"", "1\r\n2\n3", ""], [nil, ",", nil],
            ]
        )
    }

    @Test func `rows are numbered as a spreadsheet numbers them`() throws {
        var reader = CSVReader()
        reader.feed(Array("id,text\n1,\"a\nb\nc\"\n\n2,d\n".utf8))
        reader.finish()
        var numbers: [Int] = []
        while try reader.next() { numbers.append(reader.row.number) }
        // A line break in a cell begins no row, a line without anything is one.
        #expect(numbers == [1, 2, 4])
    }

    @Test(arguments: [
        ("a,b\n1,x\"y\n", CSVFault(.strayQuote, row: 2, cell: 2)),
        ("a,b\n\"1\"x,2\n", CSVFault(.textAfterQuote, row: 2, cell: 1)),
        ("a,b\n1,2\n3,\"4\n5,6\n", CSVFault(.unclosedQuote, row: 3, cell: 2)),
        ("a,b\r1,2\r", CSVFault(.loneReturn, row: 1, cell: 2)),
    ])
    func `what RFC 4180 does not know is refused at its place`(text: String, fault: CSVFault) {
        #expect(throws: fault) { try rows(text) }
    }

    @Test func `what is not UTF-8 is refused at its cell`() {
        // 'é' as Windows writes it; and two halves of one character in two cells.
        #expect(throws: CSVFault(.encoding, row: 2, cell: 2)) { try rows(Array("a,b\n1,caf".utf8) + [0xE9, 0x0A]) }
        #expect(throws: CSVFault(.encoding, row: 1, cell: 1)) { try rows([0xC3, 0x2C, 0xA9, 0x0A]) }
        #expect(throws: CSVFault(.otherEncoding, row: 1, cell: 1)) { try rows([0xFF, 0xFE, 0x61, 0x00]) }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `what the writer writes is read back, in pieces of any length`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let letters: [Unicode.Scalar] = [
            "a", "b", " ", "\"", ",", "\r", "\n", "\t", ";", "=", "'", "\u{0}", "\u{7F}", "\u{85}", "\u{2028}",
            "\u{202E}", "\u{5D0}", "\u{FEFF}", "\u{301}", "램", "🛋",
        ]
        for delimiter in [UInt8(ascii: ","), UInt8(ascii: "\t"), UInt8(ascii: ";")] {
            let table: [[String?]] = (0..<300).map { _ in
                (0..<4).map { _ in
                    if Int.random(in: 0..<5, using: &random) == 0 { return nil }
                    var text = String.UnicodeScalarView()
                    for _ in 0..<Int.random(in: 0...30, using: &random) {
                        let isPlain = Int.random(in: 0..<4, using: &random) > 0
                        text.append(isPlain ? "x" : letters.randomElement(using: &random) ?? "x")
                    }
                    return String(text)
                }
            }
            var writer = CSVWriter(delimiter: delimiter)
            for row in table {
                for value in row { writer.append(value) }
                writer.endRecord()
            }
            // Texts are equal by their bytes, which `==` of strings does not ask for.
            let expected = table.map { $0.map { $0.map { Array($0.utf8) } } }
            for length in [1, 2, 3, Int.random(in: 4...200, using: &random), .max] {
                let read = try rows(writer.bytes, by: length, delimiter: delimiter)
                #expect(read.map { $0.map { $0.map { Array($0.utf8) } } } == expected, "seed \(seed), by \(length)")
            }
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `one fault is reported once, at its row, whatever the pieces`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let faults: [(bytes: [UInt8], kind: CSVFault.Kind)] = [
            (Array("x\"y".utf8), .strayQuote), (Array("\"x\"y".utf8), .textAfterQuote),
            ([0x61, 0xE9, 0x62], .encoding),
            (Array("x\ry".utf8), .loneReturn), (Array("\"x".utf8), .unclosedQuote),
        ]
        for (fault, kind) in faults {
            let (row, count) = (Int.random(in: 2...300, using: &random), 300)
            var bytes = Array("id,name\n".utf8)
            for number in 2...count + 1 {
                // What follows the fault has no quote that would close one.
                bytes += Array("\(number),".utf8) + (number == row ? fault : Array("램프 \(number)".utf8)) + [0x0A]
            }
            for length in [1, 7, 64, Int.random(in: 2...2000, using: &random), bytes.count] {
                var reader = CSVReader()
                var found: [CSVFault] = []
                var rows: [Int] = []
                func take() {
                    do throws(CSVFault) {
                        while try reader.next() { rows.append(reader.row.number) }
                    } catch {
                        found.append(error)
                    }
                }
                for start in stride(from: 0, to: bytes.count, by: length) {
                    reader.feed(Array(bytes[start..<min(start + length, bytes.count)]))
                    take()
                }
                reader.finish()
                take()
                take()
                #expect(found == [CSVFault(kind, row: row, cell: 2)], "seed \(seed), by \(length)")
                #expect(rows == Array(1..<row), "seed \(seed), by \(length)")
            }
        }
    }

    @Test func `whether the last line was ended`() throws {
        for (text, isOpen) in [
            ("a,b\n1,2", true), ("a,b\n1,2\r\n", false), ("a\n\"1\"", true), ("a,b\n1,", true), ("a\n", false),
        ] {
            var reader = CSVReader()
            reader.feed(Array(text.utf8))
            reader.finish()
            while try reader.next() {}
            #expect(reader.endsInRow == isOpen, "\(text)")
        }
    }
}
