package import OpenMarket
import OpenMarketDescription
package import OpenMarketManifest

/// Asks a person what a first manifest is to say, where that is not given.
package struct StarterQuestions {
    /// The input ended before there was an answer.
    struct NoAnswer: Error, CustomStringConvertible {
        package var description: String { "there was no answer; nothing was written" }
    }

    /// Why an answer is not taken.
    private struct Refusal: Error {
        var reason: String
    }

    private let ask: (String) -> String?
    private let refuse: (String) -> Void

    /// - Parameters:
    ///   - ask: shows a question, and gives the line that answers it; `nil` at the end of input.
    ///   - refuse: shows why an answer is not taken.
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
            guard let profile = MarketProfile(name: text) else { throw Refusal(reason: "there is no such API") }
            return profile
        }
    }

    fileprivate func currency(default standard: Currency) throws(NoAnswer) -> Currency {
        try answer("The currency of prices", default: standard.rawValue) { text throws(Refusal) in
            guard let currency = Currency(standardCode: text) else {
                throw Refusal(reason: "there is no such currency; write KRW, USD or another code of ISO 4217")
            }
            return currency
        }
    }

    /// Asks until an answer is taken; an empty one stands for the default.
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
    /// A manifest as given, else as answered, else with the defaults.
    ///
    /// - Parameters:
    ///   - url: the market's base URL.
    ///   - market: what is known of its API.
    ///   - currency: what prices are in.
    ///   - questions: asks for the rest; `nil` where there is no person to answer.
    /// - Throws: ``StarterQuestions/NoAnswer``.
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

    /// The variables of the credentials that it names and that are not set.
    func unsetVariables(in environment: [String: String]) -> [String] {
        let credentials = profile.capabilities.credentials
        let named =
            (credentials.contains(.identifier) ? ["OPENMARKET_IDENTIFIER"] : [])
            + (credentials.contains(.secret) ? ["OPENMARKET_SECRET"] : [])
        return named.filter { (environment[$0] ?? "").isEmpty }
    }
}
