import Synchronization

/// Evidence from a run's replies about its credentials.
final class CredentialsWatch: Sendable {
    private struct State {
        var accepted = false
        /// Refusals that wrong credentials may explain.
        var rejections = 0
        var others = 0
        var lastMessage = ""
        var isBeingProved = false
    }

    /// After this many refusals without a success, and without an own product to ask about, the run gives up.
    private static let threshold = 16

    /// If products have passwords, a wrong one gives 404 (docs/reference/open-market-versions.md, "Credentials").
    private let answersDeniedAsMissing: Bool
    private let state = Mutex(State())

    init(_ capabilities: MarketCapabilities) { answersDeniedAsMissing = capabilities.answersDeniedAsMissing }

    func observe(_ outcome: WriteOutcome) {
        state.withLock { state in
            switch outcome {
            case .succeeded: state.accepted = true
            case .refused(let refusal):
                if refusal.mayBeAboutCredentials || answersDeniedAsMissing && refusal.kind == .notFound {
                    state.rejections += 1
                    state.lastMessage = refusal.message
                } else {
                    state.others += 1
                }
            case .notSent, .uncertain: break
            }
        }
    }

    /// Whether the credentials are still unproven.
    var wantsProof: Bool { state.withLock { !$0.accepted } }

    var areRejected: Bool { state.withLock { !$0.accepted && $0.rejections >= Self.threshold } }

    /// Returns true for one caller only, which then asks the market.
    func beginProof() -> Bool {
        state.withLock { state in
            defer { state.isBeingProved = true }
            return !state.isBeingProved
        }
    }

    /// The market's last message if wrong credentials may explain that it rejected every write of a run; otherwise
    /// `nil`.
    func everyWriteWasRefused(_ results: [OperationResult]) -> String? {
        let isUnheard = results.allSatisfy { result in
            switch result.action {
            case .adopt, .forget, .rename: true
            case .create, .update, .replace, .delete: result.status == .failed
            }
        }
        return state.withLock { state in
            isUnheard && !state.accepted && state.rejections > 0 && state.others == 0 ? state.lastMessage : nil
        }
    }
}

extension WriteRefusal {
    var mayBeAboutCredentials: Bool { kind == .credentials || kind == .denied }
}
