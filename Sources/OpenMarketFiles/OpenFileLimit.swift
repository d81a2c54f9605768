#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

package enum OpenFileLimit {
    /// Enough for the largest parallelism: each request has a connection and up to five pictures.
    private static let wanted: rlim_t = 1024 * 6 + 256

    /// Raises the soft limit as far as needed and allowed; many systems start with 256 or 1024.
    package static func raise() {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        let allowed = min(wanted, limit.rlim_max)
        guard limit.rlim_cur < allowed else { return }
        limit.rlim_cur = allowed
        setrlimit(resource, &limit)
    }
}
