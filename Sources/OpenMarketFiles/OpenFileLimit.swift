#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

package enum OpenFileLimit {
    /// Enough for the largest parallelism: each request has a connection and up to five pictures.
    private static let wanted: rlim_t = 1024 * 6 + 256

    /// Raises the soft limit as far as needed and allowed, and returns it; many systems start with 256 or 1024.
    package static func raise() -> UInt64 {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return .max }
        let allowed = min(wanted, limit.rlim_max)
        guard limit.rlim_cur < allowed else { return UInt64(limit.rlim_cur) }
        let before = limit.rlim_cur
        limit.rlim_cur = allowed
        return UInt64(setrlimit(resource, &limit) == 0 ? allowed : before)
    }
}
