import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// One plain request and its reply, over a connection of its own.
///
/// Knows as little of HTTP as a test can do with, and shares no code with what is tested.
struct HTTPExchange: Sendable {
    let status: Int
    /// The head's lines, the first included.
    let head: [String]
    let body: [UInt8]

    /// Sends a request to an `http://host:port/path` and reads the reply to its end.
    static func send(
        _ method: String,
        _ address: String,
        headers: [String] = [],
        body: [UInt8] = []
    ) throws -> HTTPExchange {
        let rest = address.dropFirst("http://".count)
        let host = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(host.count)
        let parts = host.split(separator: ":")
        let socket = try connect(to: String(parts.first ?? ""), port: parts.count > 1 ? String(parts[1]) : "80")
        defer { try? socket.close() }
        // With HTTP/1.0 the reply ends where the connection does.
        let lines =
            ["\(method) \(path.isEmpty ? "/" : path) HTTP/1.0", "Connection: close", "Content-Length: \(body.count)"]
            + (headers.contains { $0.hasPrefix("host:") } ? [] : ["Host: \(host)"]) + headers
        try socket.writeAll(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        return try HTTPExchange(reply: readToEnd(socket))
    }

    private init(reply: [UInt8]) throws {
        let blank = Array("\r\n\r\n".utf8)
        guard let end = reply.firstRange(of: blank) else { throw Errno.protocolError }
        head = String(decoding: reply[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n").map(String.init)
        guard let first = head.first, let status = Int(first.split(separator: " ").dropFirst().first ?? "") else {
            throw Errno.protocolError
        }
        self.status = status
        body = Array(reply[end.upperBound...])
    }

    static func connect(to host: String, port: String) throws -> FileDescriptor {
        var hints = addrinfo()
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, port, &hints, &found) == 0, let address = found?.pointee else {
            throw Errno.noSuchAddressOrDevice
        }
        defer { freeaddrinfo(found) }
        let socket = FileDescriptor(rawValue: socket(address.ai_family, address.ai_socktype, address.ai_protocol))
        #if canImport(Glibc)
        let connected = Glibc.connect(socket.rawValue, address.ai_addr, address.ai_addrlen)
        #else
        let connected = Darwin.connect(socket.rawValue, address.ai_addr, address.ai_addrlen)
        #endif
        guard connected == 0 else {
            let reason = Errno(rawValue: errno)
            try? socket.close()
            throw reason
        }
        return socket
    }

    private static func readToEnd(_ socket: FileDescriptor) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try chunk.withUnsafeMutableBytes { try socket.read(into: $0) }
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(count)
        }
    }
}
