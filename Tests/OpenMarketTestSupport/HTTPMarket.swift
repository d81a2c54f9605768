import Foundation
@testable import OpenMarket
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A market in the test's own process, on a port of its own: a closure answers each request, with the very bytes that a test
/// wants, or breaks the connection where it wants.
///
/// Knows as little of HTTP as a test can do with, and shares no code with what is tested.
final class HTTPMarket: Sendable {
    /// A request as it came.
    struct Request: Sendable {
        var bytes: [UInt8]
        var method: String
        /// The path with the query.
        var target: String
        /// By their names in lower case.
        var headers: [String: String]
        var body: [UInt8]
        /// How many requests came before it.
        var index = 0

        /// Without the query.
        var path: String {
            let path = String(target.prefix { $0 != "?" })
            return path.removingPercentEncoding ?? path
        }

        var query: [String: String] {
            let pairs = target.drop { $0 != "?" }.dropFirst().split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
                return (parts[0], parts.count > 1 ? parts[1] : "")
            }
            return Dictionary(pairs) { $1 }
        }

        /// The body as JSON.
        var json: JSONValue? { try? JSONValue.parse(body) }
    }

    /// What to do about a request.
    enum Answer: Sendable, CustomTestStringConvertible {
        /// Send these bytes; the connection stays open.
        case bytes([UInt8])
        /// Send these bytes and close.
        case bytesThenClose([UInt8])
        /// Send these bytes and so many blanks, as long as the other side takes them, and close.
        case flood([UInt8], blanks: Int)
        /// Close without a reply.
        case close
        /// Nothing, for as long as the other side listens.
        case silence

        /// Megabytes of bytes are not for the log of a test.
        var testDescription: String {
            switch self {
            case .bytes(let bytes): "\(bytes.count) bytes"
            case .bytesThenClose(let bytes): "\(bytes.count) bytes, then the end"
            case .flood: "a flood"
            case .close: "the end"
            case .silence: "silence"
            }
        }

        /// Each of the headers ends with its line end.
        static func reply(
            _ status: Int,
            _ body: String,
            type: String = "application/json",
            headers: String = ""
        ) -> Answer {
            .bytes(bytes(status, Array(body.utf8), type: type, headers: headers))
        }

        /// A status, and JSON where there is a body; then the end.
        static func reply(_ status: Int, _ json: JSONValue?) -> Answer {
            .bytesThenClose(bytes(status, json?.bytes() ?? [], headers: "Connection: close\r\n"))
        }

        /// The bytes of a file; then the end.
        static func file(_ content: [UInt8]) -> Answer {
            .bytesThenClose(bytes(200, content, type: "application/octet-stream", headers: "Connection: close\r\n"))
        }

        static func bytes(_ status: Int, _ body: [UInt8], type: String = "application/json", headers: String = "")
            -> [UInt8]
        {
            let head = "HTTP/1.1 \(status) Answered\r\nContent-Type: \(type)\r\n\(headers)"
            return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
        }
    }

    private struct State {
        var requests: [Request] = []
        var connections: Set<Int32> = []
        var connectionCount = 0
        var isStopped = false
        var isPoured = false
    }

    let port: UInt16
    private let listener: Int32
    private let script: @Sendable (Request) -> Answer
    private let state = Mutex(State())

    var url: String { "http://127.0.0.1:\(port)" }
    var requests: [Request] { state.withLock { $0.requests } }
    /// How many connections were ever opened.
    var connectionCount: Int { state.withLock { $0.connectionCount } }
    /// Whether somebody took a whole flood.
    var isPoured: Bool { state.withLock { $0.isPoured } }

    /// Serves while the body runs.
    static func run<Result>(
        _ script: @escaping @Sendable (Request) -> Answer,
        _ body: (HTTPMarket) async throws -> Result
    ) async throws -> Result {
        let market = try HTTPMarket(script)
        defer { market.stop() }
        return try await body(market)
    }

    private init(_ script: @escaping @Sendable (Request) -> Answer) throws {
        self.script = script
        (listener, port) = try boundSocket()
        guard listen(listener, 64) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        Thread.detachNewThread { [self] in acceptAll() }
    }

    private func stop() {
        // Closed by the thread that accepts, which would otherwise accept from whatever gets its number next.
        _ = shutdown(listener, Int32(SHUT_RDWR))
        state.withLock { state in
            state.isStopped = true
            for connection in state.connections { _ = shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    private func acceptAll() {
        defer { _ = close(listener) }
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            let isStopped = state.withLock { state in
                state.connections.insert(connection)
                state.connectionCount += 1
                return state.isStopped
            }
            guard !isStopped else { return }
            Thread.detachNewThread { [self] in
                serve(connection)
                state.withLock { _ = $0.connections.remove(connection) }
                _ = close(connection)
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
            case .bytes(let bytes):
                guard Self.write(connection, bytes), request.headers["connection"]?.lowercased() != "close" else {
                    return
                }
            case .bytesThenClose(let bytes):
                _ = Self.write(connection, bytes)
                return
            case .flood(let head, let blanks):
                guard Self.write(connection, head) else { return }
                let block = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 16)
                for _ in 0..<(blanks >> 16) { guard Self.write(connection, block) else { return } }
                state.withLock { $0.isPoured = true }
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
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        func more() -> Bool {
            let count = recv(connection, &chunk, chunk.count, 0)
            if count > 0 { bytes += chunk[..<count] }
            return count > 0
        }
        let blank = Array("\r\n\r\n".utf8)
        while bytes.firstRange(of: blank) == nil { guard more() else { return nil } }
        guard let end = bytes.firstRange(of: blank) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count > 1 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard let name = parts.first else { continue }
            headers[name.lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        let length = Int(headers["content-length"] ?? "") ?? 0
        while bytes.count < end.upperBound + length { guard more() else { return nil } }
        return Request(
            bytes: bytes,
            method: String(words[0]),
            target: String(words[1]),
            headers: headers,
            body: Array(bytes[end.upperBound...])
        )
    }

    /// Whether all of it was taken.
    private static func write(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
