import Crypto
import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest
import SystemPackage

/// Reads whole small files.
enum FileBytes {
    /// A file's bytes; `-` is standard input.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - role: as what it is read: no output takes its place.
    /// - Returns: all of it.
    /// - Throws: ``CommandFailure`` with exit 4 and the system's reason.
    static func read(_ path: String, as role: FileRole = .other) throws -> [UInt8] {
        do {
            if path == "-" { return try FileDescriptor.standardInput.readAll() }
            let descriptor = try InputFile.open(path, as: role)
            return try descriptor.closeAfter { try descriptor.readAll() }
        } catch Errno.noSuchFileOrDirectory {
            throw CommandFailure(
                .invalidInput,
                "\(path) does not exist",
                help: near(path).map { "did you mean '\($0)'?" }
            )
        } catch {
            throw CommandFailure(.invalidInput, "cannot read \(path): \(error)")
        }
    }

    /// The file of a similar name in the same folder.
    static func near(_ path: String) -> String? {
        let place = FilePath(path)
        let folder = place.removingLastComponent()
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder.string)
        return Suggestion.nearest(to: place.lastComponent?.string ?? path, in: (names ?? []).sorted())
    }

    /// The SHA-256 of a file, of which only a piece is in memory at a time.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - role: as what it is read.
    /// - Returns: the digest.
    /// - Throws: ``CommandFailure`` with exit 4 and the system's reason.
    static func digest(_ path: String, as role: FileRole) throws -> ContentDigest {
        var hash = SHA256()
        do {
            let descriptor = try InputFile.open(path, as: role)
            try descriptor.closeAfter { try descriptor.readPieces { hash.update(bufferPointer: $0) } }
        } catch {
            throw CommandFailure(.invalidInput, "cannot read \(path): \(error)")
        }
        return ContentDigest(bytes: hash.finalize())
    }
}

extension FileDescriptor {
    /// Reads to the end.
    func readAll() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try readPieces { bytes += $0 }
        return bytes
    }

    /// Reads to the end, a piece at a time.
    func readPieces(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try read(into: $0) }
            guard count > 0 else { return }
            try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }
}
