import OpenMarket
import OpenMarketClient
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// The file of ``KeptPages``: records one after the other, each with a checksum, locked for as long as it is open.
///
/// A record is three words of 64 bits, the lowest byte first (the length with the kind in its uppermost byte, a number, the
/// checksum), and a body. The first record says of which reading the others are.
struct KeptPagesFile: Sendable {
    /// What a record holds.
    enum Kind: UInt8 {
        /// Of which reading the others are.
        case head = 0xA1
        /// A page of the list, by its number.
        case page
        /// A product's detail, by the product's.
        case product
        /// That the market did not know a product.
        case missing
    }

    /// One of them.
    struct Record {
        let kind: Kind
        let number: Int64
        let body: [UInt8]
    }

    /// What a whole file holds.
    struct Contents {
        var head: JSONValue = .null
        var pages = 0
        /// See `EarlierReading`.
        var marks: [KeptPage] = []
    }

    /// Why a file cannot be used.
    enum Fault: Error, CustomStringConvertible {
        case locked, damaged, noFile, foreign

        var description: String {
            switch self {
            case .locked: "another run uses it"
            case .damaged: "it is damaged"
            case .noFile: "there is something else than a file"
            case .foreign: "it is another's file, or others can write to it"
            }
        }
    }

    private static let headSize = 24
    /// No reply is longer, and no number of a page higher.
    private static let bodyLimit: Int64 = 64 << 20
    private static let pageLimit: Int64 = 1_000_000

    private let path: String
    private let descriptor: FileDescriptor
    /// Where the records end.
    private(set) var size: Int64
    /// Where the next record is read.
    private var place: Int64 = 0

    /// Opens a file that is there; `nil` comes of none.
    ///
    /// - Throws: ``Fault``, `Errno`.
    init?(opening path: String) throws {
        do {
            try self.init(path, options: [])
        } catch Errno.noSuchFileOrDirectory {
            return nil
        }
    }

    /// Makes an empty file, for its owner's eyes; one that is there and that nobody uses is emptied.
    ///
    /// - Throws: ``Fault``, `Errno`.
    init(making path: String) throws {
        try self.init(path, options: .create)
        try clear()
    }

    private init(_ path: String, options: FileDescriptor.OpenOptions) throws {
        while true {
            let descriptor = try FileDescriptor.open(
                path,
                .readWrite,
                options: options.union([.noFollow, .nonBlocking, .closeOnExec]),
                permissions: .ownerReadWrite
            )
            do {
                guard flock(descriptor.rawValue, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
                    throw Fault.locked
                }
                var status = stat()
                guard fstat(descriptor.rawValue, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                    throw Fault.noFile
                }
                // A file under two names is somebody's other file, and what others can write proves nothing: neither is
                // read, written or removed.
                guard status.st_nlink <= 1, status.st_uid == geteuid(), status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
                    throw Fault.foreign
                }
                // Whoever had it may have removed it before it was locked here.
                if status.st_nlink > 0 {
                    self.path = path
                    self.descriptor = descriptor
                    size = Int64(status.st_size)
                    return
                }
            } catch {
                try? descriptor.close()
                throw error
            }
            try? descriptor.close()
        }
    }

    var isEmpty: Bool { size == 0 }

    /// Takes all records away.
    mutating func clear() throws { try cut(at: 0) }

    private mutating func cut(at end: Int64) throws {
        guard ftruncate(descriptor.rawValue, off_t(end)) == 0 else { throw Errno(rawValue: errno) }
        size = end
        place = min(place, end)
    }

    /// Removes the file.
    consuming func remove() {
        unlink(path)
        try? descriptor.close()
    }

    /// Leaves the file to the next run.
    func close() { try? descriptor.close() }

    // MARK: - Records

    /// Adds a record at the end.
    ///
    /// What cannot be written in whole is no record for the next run.
    mutating func append(_ kind: Kind, _ number: Int64, _ body: UnsafeRawBufferPointer) throws {
        // Whoever goes on has read all records first; one in between would be read at a wrong moment.
        guard place == size else { throw Fault.damaged }
        var head = [UInt64(kind.rawValue) << 56 | UInt64(body.count), UInt64(bitPattern: number)]
        head.append(Self.checksum(head, body))
        _ = try head.map(\.littleEndian).withUnsafeBytes { try descriptor.writeAll(toAbsoluteOffset: size, $0) }
        try descriptor.writeAll(toAbsoluteOffset: size + Int64(Self.headSize), body)
        size += Int64(Self.headSize + body.count)
        place = size
    }

    /// The next record; `nil` behind the last one, and at one of a kind that is not wanted.
    mutating func next(unless unwanted: Kind? = nil) throws -> Record? {
        guard place < size else { return nil }
        guard let words = try head(at: place), let kind = Kind(rawValue: UInt8(words[0] >> 56)) else {
            throw Fault.damaged
        }
        guard kind != unwanted else { return nil }
        let length = Int64(words[0] & 0xFF_FFFF_FFFF_FFFF)
        let number = Int64(bitPattern: words[1])
        guard length <= Self.bodyLimit, kind != .page || (1...Self.pageLimit).contains(number) else {
            throw Fault.damaged
        }
        guard let body = try bytes(at: place + Int64(Self.headSize), length) else { throw Fault.damaged }
        guard body.withUnsafeBytes({ Self.checksum(Array(words.prefix(2)), $0) }) == words[2] else {
            throw Fault.damaged
        }
        place += Int64(Self.headSize) + length
        return Record(kind: kind, number: number, body: body)
    }

    /// Reads all records once, cuts off a last one that is not whole, and goes back to the first after the head.
    ///
    /// - Throws: ``Fault``, `Errno`.
    mutating func survey() throws -> Contents {
        var contents = Contents()
        place = 0
        var first: (start: Int64, number: Int64)?
        var furthest: (start: Int64, number: Int64)?
        var beginning: Int64 = 0
        while place < size {
            let start = place
            if let words = try head(at: start), Kind(rawValue: UInt8(words[0] >> 56)) == nil { throw Fault.damaged }
            // Killed while it wrote, a run leaves a last record that is not whole.
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
                contents.pages += 1
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
            if let record = try next() { contents.marks.append(KeptPage(number: Int(mark.number), body: record.body)) }
        }
        place = beginning
        return contents
    }

    /// Whether a record ends before the file does.
    private func isWhole(at start: Int64) throws -> Bool {
        guard let words = try head(at: start) else { return false }
        return Int64(words[0] & 0xFF_FFFF_FFFF_FFFF) <= size - start - Int64(Self.headSize)
    }

    private func head(at start: Int64) throws -> [UInt64]? {
        try bytes(at: start, Int64(Self.headSize))?.withUnsafeBytes { bytes in
            (0..<3).map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
        }
    }

    /// So many bytes; `nil` where the file ends before.
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

    /// Tells records that a disk or another program changed; word by word, for every byte of an export passes here.
    private static func checksum(_ head: [UInt64], _ body: UnsafeRawBufferPointer) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        func add(_ word: UInt64) {
            hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
        }
        for word in head { add(word) }
        let whole = body.count & ~7
        for place in stride(from: 0, to: whole, by: 8) {
            add(UInt64(littleEndian: body.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
        }
        for place in whole..<body.count { add(UInt64(body[place])) }
        return hash
    }
}
