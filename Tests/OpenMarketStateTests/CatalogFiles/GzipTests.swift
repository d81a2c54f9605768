@testable import OpenMarket
@testable import OpenMarketState
@testable import OpenMarketTestSupport
import Testing

struct GzipTests {
    private static func compressed(_ bytes: [UInt8], by size: Int) throws -> [UInt8] {
        let writer = try GzipWriter()
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            output += writer.compress(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        return output + writer.finish()
    }

    private static func decompressed(_ bytes: [UInt8], by size: Int) throws -> [UInt8] {
        let reader = try GzipReader()
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            try reader.decompress(Array(bytes[start..<min(start + size, bytes.count)])) { output += $0 }
        }
        try reader.finish()
        return output
    }

    /// Text that repeats itself, and noise that does not.
    private static func sample(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { index in
            index / 1000 % 2 == 0 ? UInt8(ascii: "a") : UInt8.random(in: 0...255, using: &random)
        }
    }

    @Test(arguments: [0, 1, 70_000, 400_000])
    func `what is compressed comes back, in whatever pieces it comes`(count: Int) throws {
        let bytes = Self.sample(count, seed: 1)
        let whole = try Self.compressed(bytes, by: 1 << 20)
        #expect(try Self.compressed(bytes, by: 999) == whole)
        for size in [7, 65_536, 1 << 20] { #expect(try Self.decompressed(whole, by: size) == bytes, "\(size)") }
        #expect(try Self.decompressed(whole + whole, by: 4096) == bytes + bytes)
    }

    @Test func `gunzip reads it`() async throws {
        let directory = try TemporaryDirectory()
        let bytes = Self.sample(200_000, seed: 2)
        try directory.write("a.gz", Self.compressed(bytes, by: 10_000))
        let output = try await Program("/bin/sh", ["-c", "gzip -t a.gz && gunzip -c a.gz"], folder: directory.path)
            .run()
        #expect(output.status == 0)
        #expect(output.stdout == bytes)
        withExtendedLifetime(directory) {}
    }

    @Test func `what is cut off, damaged or no gzip is an error`() throws {
        let whole = try Self.compressed(Self.sample(50_000, seed: 3), by: 1000)
        #expect(throws: CatalogFileError("it is cut off")) { try Self.decompressed(Array(whole.dropLast()), by: 4096) }
        #expect(throws: CatalogFileError("it is cut off")) { try Self.decompressed([], by: 1) }
        var damaged = whole
        damaged[damaged.count / 2] ^= 0x40
        #expect(throws: CatalogFileError.self) { try Self.decompressed(damaged, by: 4096) }
        #expect(throws: CatalogFileError("it is not a gzip file, or is damaged")) {
            try Self.decompressed(Array("id,name\r\n".utf8), by: 4096)
        }
    }
}
