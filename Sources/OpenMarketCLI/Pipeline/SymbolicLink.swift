import FoundationEssentials
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Symbolic links, as pictures are found by names and addresses.
enum SymbolicLink {
    /// Where a link leads; `nil` where there is none.
    static func target(of path: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: path)
    }

    /// Makes a link, in the place of one that is there.
    ///
    /// - Throws: ``CommandFailure`` with the system's reason where that cannot be done.
    static func make(_ path: String, to target: String) throws {
        let temporary = "\(path).\(UInt64.random(in: .min ... .max))"
        guard symlink(target, temporary) == 0, rename(temporary, path) == 0 else {
            let error = Errno(rawValue: errno)
            unlink(temporary)
            throw CommandFailure(.failure, "cannot write \(path): \(error)")
        }
    }
}
