import Dispatch
@testable import OpenMarketTestSupport
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
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

    private static func exchange(_ request: [UInt8], port: Int, ending: Ending) -> Reply {
        guard let socket = try? HTTPExchange.connect(to: "127.0.0.1", port: String(port)) else {
            return Reply(text: "no connection", wasReset: true)
        }
        defer { try? socket.close() }
        // Without an end in sight a test fails after 20 s.
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(socket.rawValue, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        // The server may have closed it; what it said before is read all the same.
        signal(SIGPIPE, SIG_IGN)
        _ = try? socket.writeAll(request)
        if ending == .finish { shutdown(socket.rawValue, Int32(SHUT_WR)) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(socket.rawValue, &chunk, chunk.count, 0)
            guard count > 0 else { return Reply(text: String(decoding: bytes, as: UTF8.self), wasReset: count < 0) }
            bytes += chunk[..<count]
        }
    }
}
