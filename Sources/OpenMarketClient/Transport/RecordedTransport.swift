import NIOCore
import Synchronization

/// Answers with recorded replies instead of a network.
///
/// If a request was recorded several times, its replies come in order, and the last one repeats.
final class RecordedTransport: Transport {
    private let replies: [String: [TransportReply]]
    private let asked = Mutex<[String: Int]>([:])

    init(_ conversation: RecordedConversation) {
        replies = Dictionary(grouping: conversation.exchanges, by: \.request).mapValues { $0.map(\.reply) }
    }

    func send(_ request: TransportRequest, limit: Int) async throws(TransportFailure) -> TransportReply {
        let wanted = "\(request.method) \(RecordedConversation.parts(of: request.url).target)"
        guard let replies = replies[wanted] else {
            throw TransportFailure("the recording lacks a reply to \(wanted)", mayHaveArrived: false)
        }
        let index = asked.withLock { asked in
            defer { asked[wanted, default: 0] += 1 }
            return min(asked[wanted, default: 0], replies.count - 1)
        }
        let reply = replies[index]
        guard reply.body.readableBytes <= limit else { throw .tooLarge(limit) }
        return reply
    }
}
