import OpenMarket
import OpenMarketFiles
import SystemPackage

/// The file of ``ExportCheckpoint``: a sequence of records, each with a checksum, locked while it is open.
///
/// A record is three 64-bit words (little-endian), a name and a body.
///
/// - The first word has the record's kind in its uppermost byte, and the length of the name in the two bytes below it.
///   Its other bytes are the length of name and body.
/// - The second word is a number.
/// - The third word is the checksum.
///
/// The first record identifies the reading that the others belong to. The name of a page's record is its request, the
/// status, and the headers that pages are read with.
struct CheckpointFile: Sendable {
    enum Kind: UInt8 {
        /// Identifies the reading that the other records belong to.
        case head = 0xA1
        /// A page of the list, by its number.
        case page
        /// A product's detail, by the product's id: the record's number, or its name if the id is a text.
        case product
        /// The product was missing on the market.
        case missing
    }

    struct Record {
        let kind: Kind
        let number: Int64
        let name: [UInt8]
        let body: [UInt8]

        var page: KeptPage? {
            guard kind == .page, let reply = KeptReply(name: name, number: Int(number)) else { return nil }
            return KeptPage(reply, body: body)
        }

        /// The product and its detail reply; the body is `nil` if the product was missing.
        var product: (id: MarketID, body: [UInt8]?)? {
            guard kind == .product || kind == .missing else { return nil }
            let id = name.isEmpty ? .number(number) : MarketID(text: String(decoding: name, as: UTF8.self))
            return id.map { ($0, kind == .product ? body : nil) }
        }
    }

    struct Contents {
        var head: JSONValue = .null
        var pages = 0
        /// See `EarlierReading`.
        var marks: [KeptPage] = []
    }

    enum Fault: Error, CustomStringConvertible {
        case damaged
        /// The path holds something else, which must not be changed.
        case foreign

        var description: String { self == .damaged ? "it is damaged" : "it is not one of an export's" }
    }

    private static let headSize = 24
    /// No reply is longer, and no page number is higher.
    private static let bodyLimit: Int64 = 64 << 20
    private static let nameLimit = 0xFFFF
    private static let pageLimit: Int64 = 1_000_000

    private let file: LockedFile
    private var descriptor: FileDescriptor { file.descriptor }
    private(set) var size: Int64
    private var place: Int64 = 0

    /// Opens a file that no other process uses; `creates` makes a missing one.
    init(_ path: String, creates: Bool) throws {
        file = try LockedFile(path, creates: creates)
        size = file.size
        try requireOwn()
    }

    /// Checks that the file begins with a head, or with the part of one that a power failure leaves.
    private func requireOwn() throws {
        let head = try descriptor.head(Self.headSize)
        guard head.isEmpty || head.allSatisfy({ $0 == 0 }) || head.dropFirst(7).first == Kind.head.rawValue else {
            file.close()
            throw Fault.foreign
        }
    }

    var isEmpty: Bool { size == 0 }

    mutating func clear() throws { try cut(at: 0) }

    private mutating func cut(at end: Int64) throws {
        try descriptor.resize(to: end)
        size = end
        place = min(place, end)
    }

    consuming func remove() { file.remove() }

    func close() { file.close() }

    // MARK: - Records

    /// Adds a record at the end.
    ///
    /// The next run drops an incomplete record.
    mutating func append(
        _ kind: Kind,
        _ number: Int64 = 0,
        name: [UInt8] = [],
        _ body: Span<UInt8>
    ) throws {
        // A resuming run reads all records before it appends; a read in between would return a wrong record.
        guard place == size, name.count <= Self.nameLimit else { throw Fault.damaged }
        let length = UInt64(name.count + body.count)
        let words = [
            UInt64(kind.rawValue) << 56 | UInt64(name.count) << 40 | length, UInt64(bitPattern: number),
        ]
        let checksum = Self.checksum(words, name.span, body)
        var head: [UInt8] = []
        for word in words + [checksum] { withUnsafeBytes(of: word.littleEndian) { head += $0 } }
        head += name
        _ = try head.withUnsafeBytes { try descriptor.writeAll(toAbsoluteOffset: size, $0) }
        try body.withUnsafeBytes { _ = try descriptor.writeAll(toAbsoluteOffset: size + Int64(head.count), $0) }
        size += Int64(head.count + body.count)
        place = size
    }

    /// The next record; `nil` after the last one, or if the next one is of the unwanted kind.
    mutating func next(unless unwanted: Kind? = nil) throws -> Record? {
        guard place < size else { return nil }
        guard let words = try head(at: place), let kind = Kind(rawValue: UInt8(words[0] >> 56)) else {
            throw Fault.damaged
        }
        guard kind != unwanted else { return nil }
        let length = Self.length(words)
        let named = Int64(words[0] >> 40 & UInt64(Self.nameLimit))
        let number = Int64(bitPattern: words[1])
        guard length <= Self.bodyLimit, named <= length, kind != .page || (1...Self.pageLimit).contains(number) else {
            throw Fault.damaged
        }
        let start = place + Int64(Self.headSize)
        guard let name = try bytes(at: start, named), let body = try bytes(at: start + named, length - named) else {
            throw Fault.damaged
        }
        let checksum = Self.checksum(Array(words.prefix(2)), name.span, body.span)
        guard checksum == words[2] else { throw Fault.damaged }
        place = start + length
        return Record(kind: kind, number: number, name: name, body: body)
    }

    /// Reads all records once, cuts off an incomplete last one, and returns to the first record after the head.
    mutating func survey() throws -> Contents {
        var contents = Contents()
        place = 0
        var first: (start: Int64, number: Int64)?
        var furthest: (start: Int64, number: Int64)?
        var beginning: Int64 = 0
        while place < size {
            let start = place
            if let words = try head(at: start), Kind(rawValue: UInt8(words[0] >> 56)) == nil { throw Fault.damaged }
            // A run that is killed while it writes leaves an incomplete last record.
            guard try isWhole(at: start) else {
                try cut(at: start)
                break
            }
            guard let record = try next() else { break }
            guard (record.kind == .head) == (start == 0) else { throw Fault.damaged }
            switch record.kind {
            case .head:
                guard let head = try? JSONValue.parse(record.body) else { throw Fault.damaged }
                contents.head = head
                beginning = place
            case .page:
                guard let page = record.page else { throw Fault.damaged }
                contents.pages += 1
                if page.reply.isRefusal { continue }
                if record.number == 1 {
                    first = (start, 1)
                    furthest = nil
                } else if record.number > furthest?.number ?? 1 {
                    furthest = (start, record.number)
                }
            case .product, .missing: break
            }
        }
        for mark in [first, furthest].compactMap(\.self) {
            place = mark.start
            if let page = try next()?.page { contents.marks.append(page) }
        }
        place = beginning
        return contents
    }

    private func isWhole(at start: Int64) throws -> Bool {
        guard let words = try head(at: start) else { return false }
        return Self.length(words) <= size - start - Int64(Self.headSize)
    }

    /// The length of name and body in bytes.
    private static func length(_ words: [UInt64]) -> Int64 { Int64(words[0] & 0xFF_FFFF_FFFF) }

    private func head(at start: Int64) throws -> [UInt64]? {
        try bytes(at: start, Int64(Self.headSize))?.withUnsafeBytes { bytes in
            (0..<3).map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
        }
    }

    /// Reads `count` bytes; `nil` if the file has fewer.
    private func bytes(at start: Int64, _ count: Int64) throws -> [UInt8]? {
        guard count <= size - start else { return nil }
        var place = start
        return try [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
                let read = try descriptor.read(fromAbsoluteOffset: place, into: rest)
                guard read > 0 else { throw Fault.damaged }
                filled += read
                place += Int64(read)
            }
        }
    }

    /// Detects records that a disk or another program changed.
    ///
    /// It works by words for speed, because every byte of an export passes through it.
    private static func checksum(
        _ head: [UInt64],
        _ name: Span<UInt8>,
        _ body: Span<UInt8>
    ) -> UInt64 {
        var hash = FNVHash()
        for word in head { hash.add(word: word) }
        hash.add(words: name)
        hash.add(words: body)
        return hash.value
    }
}

extension KeptReply {
    /// The reply as a JSON object, which is the name of its record.
    var name: [UInt8] {
        let headers = headers.map { JSONValue.array([.string($0.name), .string($0.value)]) }
        let document = JSONValue.object(
            of: ("request", .string(request)),
            ("status", .integer(status)),
            ("headers", headers.isEmpty ? nil : .array(headers)),
            ("refused", isRefusal ? .bool(true) : nil)
        )
        return document.bytes()
    }

    /// Parses a record's name; `nil` if it is not one.
    init?(name: [UInt8], number: Int) {
        guard let document = try? JSONValue.parse(name), let request = document["request"]?.text,
            let status = document["status"]?.integer.flatMap({ Int(exactly: $0) })
        else { return nil }
        var headers: [Header] = []
        for header in document["headers"]?.elements ?? [] {
            guard let pair = header.elements, pair.count == 2, let name = pair[0].text, let value = pair[1].text else {
                return nil
            }
            headers.append(Header(name: name, value: value))
        }
        self.init(
            number: number,
            request: request,
            status: status,
            headers: headers,
            isRefusal: document["refused"]?.truth ?? false
        )
    }
}
