/// Sends reads and nothing else, and shows each successful reply to an observer.
///
/// What looks at a market of others goes through it, and whatever talks to one whose description was not accepted: a request
/// by another method ends here, whichever part of the program made it.
struct ReadingTransport: Transport {
    let transport: any Transport
    /// Why nothing else is sent.
    let obstacle: String
    /// Takes the bodies of successful replies.
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
