#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// What the system says of files.
enum FileStatus {
    /// The permission bits; 0 where there is no such file.
    static func permissions(of path: String) -> UInt32 {
        var status = stat()
        return stat(path, &status) == 0 ? UInt32(status.st_mode) & 0o7777 : 0
    }
}
