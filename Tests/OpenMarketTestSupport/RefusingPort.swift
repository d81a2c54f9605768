import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A port that refuses connections as long as this value lives: taken by us, so that no other process can listen on it.
struct RefusingPort: ~Copyable {
    /// A base URL without an answer.
    let url: String
    private let socket: FileDescriptor

    init() throws {
        // Never listening.
        let (descriptor, port) = try boundSocket()
        socket = FileDescriptor(rawValue: descriptor)
        url = "http://127.0.0.1:\(port)"
    }

    deinit {
        try? socket.close()
    }
}

/// A socket that has a free port of this machine.
func boundSocket() throws -> (descriptor: Int32, port: UInt16) {
    #if canImport(Glibc)
    let type = Int32(SOCK_STREAM.rawValue)
    #else
    let type = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, type, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
            bind(descriptor, generic, length) == 0 && getsockname(descriptor, generic, &length) == 0
        }
    }
    guard isBound else { throw Errno(rawValue: errno) }
    return (descriptor, UInt16(bigEndian: address.sin_port))
}
