import Synchronization

/// What the replies of a run say about its credentials.
final class CredentialsWatch: Sendable {
    private struct State {
        /// Whether the market ever accepted a request that carried them.
        var accepted = false
        /// Refusals that may be about them.
        var rejections = 0
        /// Refusals that are not.
        var others = 0
        var lastMessage = ""
        var isBeingProved = false
    }

    /// After so many refusals without a single success, and with no product of ours to ask about, none is hoped for.
    private static let threshold = 16

    private let state = Mutex(State())

    /// Takes note of an outcome.
    func observe(_ outcome: WriteOutcome) {
        state.withLock { state in
            switch outcome {
            case .succeeded: state.accepted = true
            case .refused(let refusal):
                // Where items have passwords, a wrong one is answered with 404 (docs/profiles.md, "Credentials").
                if refusal.mayBeAboutCredentials || refusal.kind == .notFound {
                    state.rejections += 1
                    state.lastMessage = refusal.message
                } else {
                    state.others += 1
                }
            case .notSent, .uncertain: break
            }
        }
    }

    /// Whether nothing shows yet that the credentials are good.
    var wantsProof: Bool { state.withLock { !$0.accepted } }

    /// Whether so many requests were refused that the rest need not be tried.
    var areRejected: Bool { state.withLock { !$0.accepted && $0.rejections >= Self.threshold } }

    /// Says whether the caller is the one to ask the market, which is asked once only.
    func beginProof() -> Bool {
        state.withLock { state in
            defer { state.isBeingProved = true }
            return !state.isBeingProved
        }
    }

    /// The market's last message when it rejected every write of a run in a way that wrong credentials explain; else `nil`.
    func everyWriteWasRefused(_ results: [OperationResult]) -> String? {
        let isUnheard = results.allSatisfy { result in
            switch result.action {
            case .adopt, .forget: true
            case .create, .update, .replace, .delete: result.status == .failed
            }
        }
        return state.withLock { state in
            isUnheard && !state.accepted && state.rejections > 0 && state.others == 0 ? state.lastMessage : nil
        }
    }
}

extension WriteRefusal {
    /// Whether wrong credentials explain it.
    var mayBeAboutCredentials: Bool { kind == .credentials || kind == .denied }
}
