import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A connection per request, closed when the other side is done: shows what a client library would hide.
struct Socket: Sendable {
    let port: Int

    struct Reply: Equatable, Sendable {
        var text: String
        /// Whether the connection ended with an error rather than in good order.
        var wasReset: Bool

        var status: Int? { text.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) } }
        var body: String { text.firstRange(of: "\r\n\r\n").map { String(text[$0.upperBound...]) } ?? "" }

        func header(_ name: String) -> String? {
            let prefix = name.lowercased() + ": "
            return text.split(separator: "\r\n").first { $0.lowercased().hasPrefix(prefix) }
                .map { String($0.dropFirst(prefix.count)) }
        }
    }

    func get(_ path: String) async -> Reply { await request("GET", path) }

    func form(_ method: String, _ path: String, _ form: Form) async -> Reply {
        await request(method, path, type: "multipart/form-data; boundary=\(Form.boundary)", body: form.bytes)
    }

    func request(_ method: String, _ path: String, type: String? = nil, body: [UInt8] = []) async -> Reply {
        var head =
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(body.count)\r\n"
        if let type { head += "Content-Type: \(type)\r\n" }
        return await raw(Array((head + "\r\n").utf8) + body)
    }

    /// What a client does when it has sent its bytes.
    enum Ending: Sendable {
        /// Waits for the other side.
        case wait
        /// Says that nothing more comes.
        case finish
    }

    /// Sends these very bytes, and reads until the server closes the connection.
    func raw(_ bytes: [UInt8], then ending: Ending = .wait) async -> Reply {
        let port = port
        // Blocking calls get a thread of their own: the shared ones are what the server works on.
        return await withCheckedContinuation { continuation in
            DispatchQueue(label: "socket").async {
                continuation.resume(returning: Self.exchange(bytes, port: port, ending: ending))
            }
        }
    }

    private static func connected(to port: Int) -> Int32? {
        #if canImport(Glibc)
        let stream = Int32(SOCK_STREAM.rawValue)
        #else
        let stream = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard connected == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Self.systemSend(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { break }
            sent += count
        }
    }

    private static func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
        Darwin.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
        #elseif canImport(Musl)
        Musl.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
        #else
        Glibc.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
        #endif
    }

    private static func exchange(_ request: [UInt8], port: Int, ending: Ending) -> Reply {
        guard let descriptor = connected(to: port) else { return Reply(text: "no connection", wasReset: true) }
        defer { close(descriptor) }
        // Without an end in sight a test fails after 20 s.
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        send(request, to: descriptor)
        if ending == .finish { shutdown(descriptor, Int32(SHUT_WR)) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return Reply(text: String(decoding: bytes, as: UTF8.self), wasReset: count < 0) }
            bytes += chunk[..<count]
        }
    }
}
