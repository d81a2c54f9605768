import YAML

/// Faults to inject; they are the same for the same requests, because everything random comes from the seed.
package struct FaultPlan: Hashable, Sendable {
    var seed: UInt64 = 0
    /// The rules in the order of the file.
    ///
    /// Each counts the requests that match it, whatever the others do.
    var rules: [FaultRule] = []
}

struct FaultRule: Hashable, Sendable {
    /// The method; `nil` matches any.
    var method: String?
    /// The path; `*` matches any characters, `nil` any path.
    ///
    /// Double and trailing slashes are ignored.
    var path: String?
    /// The ordinals of the matching requests that fail, from 1; `nil` for all.
    var nth: Set<Int>?
    /// The probability that a matching request fails, 0…1.
    var probability: Double = 1
    var times: Int?
    var fault: Fault
}

enum Fault: Hashable, Sendable {
    /// When a reply is replaced: `before` the market does anything, or `after`, so that the effect stays.
    enum Moment: String, ClosedList {
        case before
        case after
    }

    enum RetryAfter: Hashable, Sendable {
        case seconds(Int)
        /// An HTTP date that many seconds ahead.
        case date(secondsAhead: Int)
    }

    case latency(Duration)
    /// The reply has another status, such as 429, 500, 502 or 503.
    case status(Int, retryAfter: RetryAfter?, Moment)
    /// The connection is reset: `before` the market does anything, or `after`, so that the reply is lost.
    case cut(Moment)
    /// The connection is reset after that many bytes of the reply's body.
    case cutReply(afterBytes: Int)
    /// The connection is closed normally after that many bytes of a body whose Content-Length is larger.
    case truncate(bytes: Int)
    /// The body arrives in pieces with a pause before each.
    case slow(chunkBytes: Int, pause: Duration)
    /// The reply is an HTML page with the status 200.
    case page(Moment)
    /// v1: after a write, that many reads of the item are answered with 404.
    case unsettled(reads: Int)
    /// After the request, that many products of another vendor appear.
    case appear(rows: Int)
    /// After the request, that many randomly chosen products vanish.
    case vanish(rows: Int)
}
