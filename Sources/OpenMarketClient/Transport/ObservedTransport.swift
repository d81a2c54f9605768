/// Sends reads and nothing else, and shows each reply to an observer.
///
/// What looks at a market of others goes through it: a request by another method ends here, whoever asked for it.
struct ObservedTransport: Transport {
    let transport: any Transport
    let observe: @Sendable (TransportReply) -> Void

    var executor: (any TaskExecutor)? { transport.executor }

    func send(_ request: TransportRequest, limit: Int) async throws(TransportFailure) -> TransportReply {
        guard request.method == "GET" else {
            throw TransportFailure("only reads are sent here, and not \(request.method)", mayHaveArrived: false)
        }
        let reply = try await transport.send(request, limit: limit)
        observe(reply)
        return reply
    }
}
