import Foundation
@testable import OpenMarket
import SystemPackage

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A shop's API in the test's own process, on a port of its own: a closure answers each request.
///
/// Knows as little of HTTP as a test can do with, and shares no code with what is tested.
final class HTTPShop: Sendable {
    /// A request as it came.
    struct Request: Sendable {
        var method: String
        /// Without the query.
        var path: String
        var query: [String: String]
        /// By their names in lower case.
        var headers: [String: String]
        var body: [UInt8]

        /// The body as JSON.
        var json: JSONValue? { try? JSONValue.parse(body) }
    }

    /// What is answered.
    enum Answer: Sendable {
        /// A status, and JSON where there is a body.
        case reply(Int, JSONValue?)
        /// The bytes of a file.
        case file([UInt8])
        /// Nothing, for as long as the other side listens.
        case silence
        /// Nothing: the connection is closed.
        case close
    }

    let url: String
    private let listener: Int32

    /// Serves while the body runs.
    static func run<Result>(
        answering handler: @escaping @Sendable (Request) -> Answer,
        _ body: (HTTPShop) async throws -> Result
    ) async throws -> Result {
        let shop = try HTTPShop(handler)
        defer { shop.stop() }
        return try await body(shop)
    }

    private init(_ handler: @escaping @Sendable (Request) -> Answer) throws {
        #if canImport(Glibc)
        let type = Int32(SOCK_STREAM.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, generic, &length) == 0
            }
        }
        guard isListening else {
            let reason = Errno(rawValue: errno)
            _ = close(descriptor)
            throw reason
        }
        listener = descriptor
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { Self.serve(FileDescriptor(rawValue: connection), handler) }
            }
        }
    }

    private func stop() {
        _ = shutdown(listener, Int32(SHUT_RDWR))
        _ = close(listener)
    }

    private static func serve(_ socket: FileDescriptor, _ handler: (Request) -> Answer) {
        defer { try? socket.close() }
        guard let request = try? read(socket) else { return }
        switch handler(request) {
        case .close: return
        case .silence:
            var byte: UInt8 = 0
            _ = withUnsafeMutableBytes(of: &byte) { try? socket.read(into: $0) }
        case .reply(let status, let json): write(status, "application/json", json?.bytes() ?? [], to: socket)
        case .file(let bytes): write(200, "application/octet-stream", bytes, to: socket)
        }
    }

    private static func write(_ status: Int, _ type: String, _ body: [UInt8], to socket: FileDescriptor) {
        let head = [
            "HTTP/1.1 \(status) Answered", "Content-Type: \(type)", "Content-Length: \(body.count)",
            "Connection: close",
        ]
        _ = try? socket.writeAll(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
    }

    private static func read(_ socket: FileDescriptor) throws -> Request? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        func more() throws -> Bool {
            let count = try chunk.withUnsafeMutableBytes { try socket.read(into: $0) }
            bytes += chunk.prefix(count)
            return count > 0
        }
        let blank = Array("\r\n\r\n".utf8)
        while bytes.firstRange(of: blank) == nil { guard try more() else { return nil } }
        guard let end = bytes.firstRange(of: blank) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ").map(String.init)
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            headers[parts[0].lowercased()] = parts.count > 1 ? parts[1].trimmingCharacters(in: .whitespaces) : ""
        }
        let length = Int(headers["content-length"] ?? "") ?? 0
        while bytes.count < end.upperBound + length { guard try more() else { return nil } }
        let target = words[1].split(separator: "?", maxSplits: 1).map(String.init)
        var query: [String: String] = [:]
        for pair in (target.count > 1 ? target[1] : "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).removingPercentEncoding ?? "" }
            query[parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        return Request(
            method: words[0],
            path: target[0].removingPercentEncoding ?? target[0],
            query: query,
            headers: headers,
            body: Array(bytes[end.upperBound..<(end.upperBound + length)])
        )
    }
}
