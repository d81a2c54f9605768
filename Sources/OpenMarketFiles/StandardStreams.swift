#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Which of stdin, stdout and stderr were closed when the program started, and which paths name them.
package enum StandardStreams {
    /// The numbers of the closed ones, which are opened on `/dev/null` at the first access.
    ///
    /// Otherwise the next file or connection would get such a number, and messages would be written into it.
    package static let closed: Set<Int32> = {
        var closed: Set<Int32> = []
        while true {
            let descriptor = open("/dev/null", O_RDWR)
            guard (0...2).contains(descriptor) else {
                if descriptor >= 0 { close(descriptor) }
                return closed
            }
            closed.insert(descriptor)
        }
    }()

    /// Whether an output's path is standard output: `-`, or a system path for it, such as `/dev/stdout`.
    package static func isOutput(_ path: String) -> Bool {
        path == "-" || FileSystem.descriptor(named: path) == STDOUT_FILENO
    }
}
