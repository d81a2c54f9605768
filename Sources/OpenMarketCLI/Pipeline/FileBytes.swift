import SystemPackage

/// Reads whole small files.
enum FileBytes {
    /// A file's bytes; `-` is standard input.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 and the system's reason.
    static func read(_ path: String) throws -> [UInt8] {
        do {
            if path == "-" { return try FileDescriptor.standardInput.readAll() }
            let descriptor = try FileDescriptor.open(path, .readOnly)
            return try descriptor.closeAfter { try descriptor.readAll() }
        } catch {
            throw CommandFailure(.invalidInput, "cannot read \(path): \(error)")
        }
    }
}

extension FileDescriptor {
    /// Reads to the end.
    func readAll() throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try read(into: $0) }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }
}
