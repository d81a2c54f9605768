/// Sends only reads, and passes each successful reply to an observer.
///
/// It serves the inspection of another vendor's market, and every access to a market without an accepted description. A
/// request with another method fails here, whichever part of the program created it.
struct ReadingTransport: Transport {
    let transport: any Transport
    /// Why only reads are sent.
    let obstacle: String
    let onReply: (@Sendable ([UInt8]) -> Void)?

    var executor: (any TaskExecutor)? { transport.executor }

    func send(_ request: TransportRequest, limit: Int) async throws(TransportFailure) -> TransportReply {
        guard request.method == "GET" else {
            throw TransportFailure("\(obstacle): only reads are sent, and not \(request.method)", mayHaveArrived: false)
        }
        let reply = try await transport.send(request, limit: limit)
        if let onReply, (200..<300).contains(reply.status) { onReply(reply.bytes()) }
        return reply
    }
}
