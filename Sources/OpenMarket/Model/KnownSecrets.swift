import Synchronization

/// The secrets of a command: of its environment, its manifests, its market and its saved plan.
///
/// Every ``ResolvedSecret`` joins the current ones. What makes a text for people out of values (`excerpt`,
/// `terminalSafe`, `abbreviated`, errors, diagnostics) masks these first, and so does what writes documents.
package final class KnownSecrets: Sendable {
    /// Those of the running command; `nil` outside of one.
    @TaskLocal package static var current: KnownSecrets?

    private let known = Mutex((secrets: Set<Secret>(), mask: SecretMask([])))

    package init(_ secrets: some Sequence<Secret> = []) {
        for secret in secrets { hide(secret) }
    }

    package func hide(_ secret: Secret) {
        known.withLock { known in
            if known.secrets.insert(secret).inserted { known.mask.add(secret.revealed) }
        }
    }

    package var mask: SecretMask { known.withLock { $0.mask } }
}

extension SecretMask {
    /// Masks the secrets of the running command.
    package static var current: SecretMask { KnownSecrets.current?.mask ?? SecretMask([]) }
}

extension StringProtocol {
    /// The text without the secrets of the running command.
    package var masked: String { SecretMask.current.masked(self) }
}

/// The text that stands for one of the market which holds a credential, in plans, state and journal: its digest.
///
/// It changes with the market's text, is never sent, and never written into a manifest or an export.
package enum ConcealedText {
    private static let beginning = Array("•••sha256:".utf8)

    package static func text(_ digest: ContentDigest) -> String {
        String(decoding: beginning, as: UTF8.self) + digest.hexadecimal
    }

    package static func isOne(_ text: Span<UInt8>) -> Bool {
        text.count > beginning.count && beginning.isExactly(text.extracting(first: beginning.count))
    }
}

extension String {
    package var isConcealed: Bool { withUTF8Span { ConcealedText.isOne($0) } }
}
