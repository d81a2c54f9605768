import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// Reads whole bodies without filling the memory.
///
/// A small body stays in memory. A larger one is collected in a file until its last byte has arrived, and only then
/// takes its share of the budget. So a client that stops in the middle costs only disk space, and no other request
/// waits for it.
struct BodyReader: Sendable {
    /// The largest body, in bytes.
    let limit: Int
    /// The folder of the files.
    let folder: String
    let budget: BodyBudget

    /// The bytes of a body that are kept in memory while it arrives.
    static let memoryShare = 128 << 10

    enum Fault: Error, Hashable {
        case tooLarge
        /// It ended too early, or was framed wrongly.
        case cut
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

    /// Sends 100 (Continue) to a client that waits for it before it sends the body (RFC 9110, 10.1.1).
    private func askForBody(_ request: Request, _ context: ServerRequestContext) async {
        guard request.headers[.expect]?.lowercased() == "100-continue" else { return }
        // A client that is gone is noticed when its body is read.
        try? await context.channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue))).get()
    }

    /// The whole body; the context returns its share to the budget when it is deallocated.
    ///
    /// Errors are a ``Fault``, or come from the file system.
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
            // Every error here is the client's doing.
            do { next = try await chunks.next() } catch { throw Fault.cut }
            guard let chunk = next else { break }
            count += chunk.readableBytes
            guard count <= limit else { throw Fault.tooLarge }
            bytes += chunk.readableBytesView
            guard spool != nil || count > Self.memoryShare else { continue }
            let piece = bytes
            bytes = []
            spool = try await onDisk { [folder, budget, spool] in
                let file = try spool ?? BodySpool(folder: folder, budget: budget)
                try file.append(piece)
                return file
            }
        }
        if let announced, announced != count { throw Fault.cut }
        guard let spool else { return bytes }
        context.reservation.hold(await budget.reserve(count))
        return try await onDisk { try spool.contents() }
    }
}
