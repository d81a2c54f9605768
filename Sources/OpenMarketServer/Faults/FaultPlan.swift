/// Failures to inject, the same ones for the same requests: everything random comes from the seed.
package struct FaultPlan: Hashable, Sendable {
    /// Where the random numbers start.
    var seed: UInt64
    /// In the order of the file.
    ///
    /// Each counts the requests that match it, whatever the others do.
    var rules: [FaultRule]

    /// A plan.
    init(seed: UInt64 = 0, rules: [FaultRule] = []) {
        self.seed = seed
        self.rules = rules
    }
}

/// Which requests fail, and how.
struct FaultRule: Hashable, Sendable {
    /// The method, `nil` for any.
    var method: String?
    /// The path, in which `*` stands for any characters; `nil` for any.
    ///
    /// Double and trailing slashes do not count.
    var path: String?
    /// Only these of the matching requests, counted from 1; `nil` for all.
    var nth: Set<Int>?
    /// How probable it is that a matching request fails, 0…1.
    var probability: Double
    /// How often the rule fires at most.
    var times: Int?
    /// The fault to inject.
    var fault: Fault

    /// A rule.
    init(
        method: String? = nil,
        path: String? = nil,
        nth: Set<Int>? = nil,
        probability: Double = 1,
        times: Int? = nil,
        fault: Fault
    ) {
        self.method = method
        self.path = path
        self.nth = nth
        self.probability = probability
        self.times = times
        self.fault = fault
    }
}

/// What happens to a request.
enum Fault: Hashable, Sendable {
    /// When a reply is replaced: `before` the market does anything, or `after`, so that the effect stays.
    enum Moment: String, Hashable, Sendable, CaseIterable {
        /// The market does nothing.
        case before
        /// The market has done it all.
        case after
    }

    /// The format of `Retry-After`.
    enum RetryAfter: Hashable, Sendable {
        /// A number of seconds.
        case seconds(Int)
        /// An HTTP date so many seconds ahead.
        case date(secondsAhead: Int)
    }

    /// The request waits.
    case latency(Duration)
    /// Another status: 429, 500, 502, 503, or any.
    case status(Int, retryAfter: RetryAfter?, Moment)
    /// The connection is reset: `before` the market does anything, or `after`, when the reply is lost.
    case cut(Moment)
    /// The connection is reset in the middle of the reply, after so many bytes of its body.
    case cutReply(afterBytes: Int)
    /// The connection is closed in good order after so many bytes of a body whose Content-Length promises more.
    case truncate(bytes: Int)
    /// The body comes in pieces with a pause before each.
    case slow(chunkBytes: Int, pause: Duration)
    /// An HTML page with the status 200 instead of the reply.
    case page(Moment)
    /// v1: after a write, so many readings of the item are answered with 404.
    case unsettled(reads: Int)
    /// After the request, so many products of a passer-by appear.
    case appear(rows: Int)
    /// After the request, so many products picked at random vanish.
    case vanish(rows: Int)
}
