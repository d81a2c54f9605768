package import OpenMarket
import OpenMarketDescription
package import OpenMarketManifest

/// Asks a person for the values of a first manifest that are not given.
package struct StarterQuestions {
    struct NoAnswer: Error, CustomStringConvertible {
        package var description: String { "there was no answer; no file was written" }
    }

    private struct Refusal: Error {
        var reason: String
    }

    private let ask: (String) -> String?
    private let refuse: (String) -> Void

    /// `ask` shows a question and returns the answer's line, or `nil` at the end of input.
    ///
    /// `refuse` shows why an answer is not accepted.
    package init(ask: @escaping (String) -> String?, refuse: @escaping (String) -> Void) {
        self.ask = ask
        self.refuse = refuse
    }

    fileprivate func url(default standard: String) throws(NoAnswer) -> String {
        try answer("The market's URL", default: standard) { text throws(Refusal) in
            do throws(MarketURL.Fault) {
                return try MarketURL(text).description
            } catch {
                throw Refusal(reason: "the URL \(error.message)")
            }
        }
    }

    fileprivate func profile(default standard: MarketProfile) throws(NoAnswer) -> MarketProfile {
        try answer("Its API: v1a, v1b, v2a or v2b", default: standard.name) { text throws(Refusal) in
            guard let profile = MarketProfile(name: text) else { throw Refusal(reason: "unknown API") }
            return profile
        }
    }

    fileprivate func currency(default standard: Currency) throws(NoAnswer) -> Currency {
        try answer("The currency of prices", default: standard.rawValue) { text throws(Refusal) in
            guard let currency = Currency(standardCode: text) else {
                throw Refusal(reason: "unknown currency; write KRW, USD or another code of ISO 4217")
            }
            return currency
        }
    }

    /// Asks until an answer is accepted; an empty one means the default.
    private func answer<Value>(
        _ question: String,
        default standard: String,
        read: (String) throws(Refusal) -> Value
    ) throws(NoAnswer) -> Value {
        while true {
            guard let line = ask("\(question) [\(standard)]: ") else { throw NoAnswer() }
            let text = line.trimmed
            do throws(Refusal) { return try read(text.isEmpty ? standard : text) } catch { refuse(error.reason) }
        }
    }
}

extension StarterManifest {
    /// A manifest from given values, else from answers, else from the defaults.
    ///
    /// `market` has the given settings of its API. `questions` is `nil` without a person to answer.
    package init(
        url: String?,
        market: MarketSettings?,
        currency: Currency?,
        asking questions: StarterQuestions?
    ) throws {
        self.init()
        self.url = try url ?? questions?.url(default: self.url) ?? self.url
        profile = try market?.profile ?? questions?.profile(default: profile) ?? profile
        descriptionFile = market?.descriptionFile
        self.currency = try currency ?? questions?.currency(default: self.currency) ?? self.currency
    }

    /// The variables of its credentials that are not set.
    func unsetVariables(in environment: [String: String]) -> [String] {
        let credentials = profile.capabilities.credentials
        let named =
            (credentials.contains(.identifier) ? ["OPENMARKET_IDENTIFIER"] : [])
            + (credentials.contains(.secret) ? ["OPENMARKET_SECRET"] : [])
        return named.filter { (environment[$0] ?? "").isEmpty }
    }
}
