import OpenMarket
import OpenMarketFiles
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The few questions to the file system that the manifest has.
enum FileAccess {
    /// How many bytes are read at a time.
    static let chunkSize = 1 << 16

    /// What a path names, symbolic links followed.
    enum Kind {
        case regular(size: Int)
        case folder
        /// A pipe, a terminal: can be read once.
        case stream
        case missing
        case unreachable(String)
    }

    /// What a path names; where a role is given, the file is noted as one that is read, whether or not it is there.
    static func kind(of path: String, as role: FileRole? = nil) -> Kind {
        do {
            let status = try Stat(FilePath(path))
            if let role { FileRegister.current.note(status, as: role) }
            return switch status.type {
            case .regular: .regular(size: Int(clamping: status.size))
            case .directory: .folder
            default: .stream
            }
        } catch {
            if let role { FileRegister.current.note(path, as: role) }
            return error == .noSuchFileOrDirectory || error == .notDirectory
                ? .missing : .unreachable(error.description)
        }
    }

    /// The absolute path without symbolic links; `nil` when there is no such file.
    static func resolved(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(validatingCString: pointer)
    }

    /// The names in a folder, unsorted, without `.` and `..`.
    static func names(in folder: String) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The folder part of a path: `.` where it has none.
    static func folder(of path: String) -> String {
        // By bytes, as the system does: a mark that joins the slash before it makes one character of the two.
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        let folder = path[..<slash]
        return folder.isEmpty ? "/" : String(folder)
    }

    /// The last part of a path.
    static func name(of path: String) -> String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    /// Whether a resolved path lies in a resolved folder.
    static func contains(folder: String, path: String) -> Bool {
        path.utf8.starts(with: (folder.utf8.last == UInt8(ascii: "/") ? folder : folder + "/").utf8)
    }

    /// The file that a path means although no file has exactly this name: one whose name has the same characters in
    /// other bytes, as in archives that a Mac made; `nil` where there is none, or more than one.
    static func respelt(_ path: String) -> String? {
        let name = name(of: path)
        guard !name.isEmpty, name != ".", name != ".." else { return nil }
        var folder = folder(of: path)
        var found = path
        if case .missing = kind(of: folder) {
            guard let other = respelt(folder) else { return nil }
            folder = other
            found = joined(folder, name)
            if case .missing = kind(of: found) {} else { return found }
        }
        let names = names(in: folder)?.filter { $0 == name && !$0.isExactly(name) } ?? []
        return names.count == 1 ? joined(folder, names[0]) : nil
    }

    private static func joined(_ folder: String, _ name: String) -> String {
        folder.utf8.last == UInt8(ascii: "/") ? folder + name : folder + "/" + name
    }

    /// The next bytes of an open file, at most ``chunkSize``; none at the end.
    static func readChunk(_ file: FileDescriptor) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let chunk = [UInt8](unsafeUninitializedCapacity: chunkSize) { buffer, count in
            do {
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error as? Errno ?? .ioError
            }
        }
        if let failure { throw failure }
        return chunk
    }

    /// Gives all bytes of a file in chunks, until the end or until the closure has enough.
    static func forEachChunk(of path: String, as role: FileRole, _ body: ([UInt8]) -> Bool) throws(Errno) {
        let file = try InputFile.open(path, as: role)
        defer { try? file.close() }
        while true {
            let chunk = try readChunk(file)
            guard !chunk.isEmpty, body(chunk) else { return }
        }
    }
}
