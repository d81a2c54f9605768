#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The permission bits of a file; `nil` where nothing is.
func fileMode(_ path: String) -> UInt32? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return UInt32(status.st_mode) & 0o777
}

/// Sets the permission bits of a file.
func setFileMode(_ path: String, _ mode: UInt32) {
    chmod(path, mode_t(mode))
}
