import Dispatch
import Glibc
import Synchronization
import Testing

/// A market on a real socket that answers with the very bytes a test wants, or breaks the connection where it wants.
final class ScriptedMarket: Sendable {
    /// A request as it came.
    struct Request: Sendable {
        var bytes: [UInt8]
        var method = ""
        var path = ""
        var body: [UInt8] = []
        /// How many requests came before it.
        var index = 0
    }

    /// What to do about a request.
    enum Answer: Sendable, CustomTestStringConvertible {
        /// Send these bytes; the connection stays open.
        case bytes([UInt8])
        /// Send these bytes and close.
        case bytesThenClose([UInt8])
        /// Close without a reply.
        case close
        /// Never answer.
        case silence

        /// Megabytes of bytes are not for the log of a test.
        var testDescription: String {
            switch self {
            case .bytes(let bytes): "\(bytes.count) bytes"
            case .bytesThenClose(let bytes): "\(bytes.count) bytes, then the end"
            case .close: "the end"
            case .silence: "silence"
            }
        }

        static func reply(_ status: Int, _ body: String, type: String = "application/json", headers: String = "")
            -> Answer
        {
            .bytes(
                Array(
                    "HTTP/1.1 \(status) Whatever\r\nContent-Type: \(type)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
                        .utf8
                )
            )
        }
    }

    let port: UInt16
    private let listener: Int32
    private let script: @Sendable (Request) -> Answer
    private let state = Mutex<(requests: [Request], connections: [Int32])>(([], []))

    var url: String { "http://127.0.0.1:\(port)" }
    var requests: [Request] { state.withLock { $0.requests } }
    /// How many connections were ever opened.
    var connectionCount: Int { state.withLock { $0.connections.count } }

    init(_ script: @escaping @Sendable (Request) -> Answer) {
        self.script = script
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                precondition(bind(listener, general, length) == 0 && listen(listener, 64) == 0)
                precondition(getsockname(listener, general, &length) == 0)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
        DispatchQueue(label: "scripted market").async { [self] in acceptAll() }
    }

    /// A port that nothing listens on.
    static func closedPort() -> UInt16 {
        let market = ScriptedMarket { _ in .close }
        market.stop()
        return market.port
    }

    func stop() {
        // Closed by the thread that accepts, which would otherwise accept from whatever gets its number next.
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in state.withLock({ $0.connections }) { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    private func acceptAll() {
        defer { close(listener) }
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            state.withLock { $0.connections.append(connection) }
            DispatchQueue(label: "connection").async { [self] in
                serve(connection)
                shutdown(connection, Int32(SHUT_RDWR))
            }
        }
    }

    private func serve(_ connection: Int32) {
        while var request = Self.read(connection) {
            request.index = state.withLock { state in
                state.requests.append(request)
                return state.requests.count - 1
            }
            switch script(request) {
            case .bytes(let bytes): Self.write(connection, bytes)
            case .bytesThenClose(let bytes):
                Self.write(connection, bytes)
                return
            case .close: return
            case .silence:
                var byte: UInt8 = 0
                while recv(connection, &byte, 1, 0) > 0 {}
                return
            }
        }
    }

    private static func read(_ connection: Int32) -> Request? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        var headEnd: Int?
        var length = 0
        while true {
            if headEnd == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                headEnd = end.upperBound
                let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).lowercased()
                length =
                    head.split(separator: "\r\n").first { $0.hasPrefix("content-length:") }
                    .flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
            }
            if let headEnd, bytes.count >= headEnd + length {
                let line = String(decoding: bytes.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ")
                guard line.count > 1 else { return nil }
                return Request(
                    bytes: bytes,
                    method: String(line[0]),
                    path: String(line[1]),
                    body: Array(bytes[headEnd...])
                )
            }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
    }

    private static func write(_ connection: Int32, _ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(connection, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }
}

/// Runs a test against a scripted market and stops it.
func withMarket<Result>(
    _ script: @escaping @Sendable (ScriptedMarket.Request) -> ScriptedMarket.Answer,
    _ body: (ScriptedMarket) async throws -> Result
) async throws -> Result {
    let market = ScriptedMarket(script)
    defer { market.stop() }
    return try await body(market)
}
