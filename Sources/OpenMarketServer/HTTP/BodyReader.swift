import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Reads whole bodies without letting them fill the memory.
///
/// A small body stays in memory. A larger one gathers in a file until its last byte has come, and only then takes its
/// share of the budget: a client that stops in the middle costs room on the disk, and no other request waits for it.
struct BodyReader: Sendable {
    /// The largest body, in bytes.
    let limit: Int
    /// Where the files lie.
    let folder: String
    let budget: BodyBudget

    /// So much of a body is kept in memory while it comes.
    static let memoryShare = 128 << 10

    /// Why there is no body.
    enum Fault: Error, Hashable {
        case tooLarge
        /// It ended before its end, or was framed wrongly.
        case cut
        /// Too many bodies are under way.
        case noRoom

        var status: HTTPResponse.Status {
            switch self {
            case .tooLarge: .contentTooLarge
            case .cut: .badRequest
            case .noRoom: .serviceUnavailable
            }
        }

        var message: String {
            switch self {
            case .tooLarge: "the body is too large"
            case .cut: "the body is not whole"
            case .noRoom: "too many uploads at once"
            }
        }
    }

    /// Asks a client that waits for that for its body (RFC 9110, 10.1.1).
    private func askForBody(_ request: Request, _ context: ServerRequestContext) async {
        guard request.headers[.expect]?.lowercased() == "100-continue" else { return }
        // A client that is gone is noticed where its body is read.
        try? await context.channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue))).get()
    }

    /// The whole body; what it takes of the budget is given back with the context.
    ///
    /// - Throws: ``Fault``, or what the file system says.
    func read(_ request: Request, _ context: ServerRequestContext) async throws -> [UInt8] {
        let announced = request.headers[.contentLength].flatMap { Int($0) }
        if let announced, announced > limit { throw Fault.tooLarge }
        await askForBody(request, context)
        var bytes: [UInt8] = []
        var spool: BodySpool?
        var count = 0
        var chunks = request.body.makeAsyncIterator()
        while true {
            let next: ByteBuffer?
            // Whatever ends the reading of a body is the client's doing.
            do { next = try await chunks.next() } catch { throw Fault.cut }
            guard let chunk = next else { break }
            count += chunk.readableBytes
            guard count <= limit else { throw Fault.tooLarge }
            if spool == nil, count > Self.memoryShare {
                let file = try BodySpool(folder: folder, budget: budget)
                try file.append(bytes)
                bytes = []
                spool = file
            }
            if let spool { try spool.append(chunk.readableBytesView) } else { bytes += chunk.readableBytesView }
        }
        if let announced, announced != count { throw Fault.cut }
        guard let spool else { return bytes }
        context.reservation.hold(await budget.reserve(count))
        return try spool.contents()
    }
}
