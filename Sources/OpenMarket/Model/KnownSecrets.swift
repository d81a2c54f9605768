import Synchronization

/// The secrets of a command: those of its environment, manifests, market and saved plan.
///
/// Every ``ResolvedSecret`` joins the current ones. Code that turns values into text for people (`excerpt`,
/// `terminalSafe`, `abbreviated`, errors, diagnostics) or writes documents masks them first.
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
    package static var current: SecretMask { KnownSecrets.current?.mask ?? SecretMask([]) }
}

extension StringProtocol {
    /// The text without the secrets of the running command.
    package var masked: String { SecretMask.current.masked(self) }
}

/// Replaces a market's text that holds a credential in plans, state and journal: the text's digest.
///
/// The digest changes with the market's text. It is never sent, nor written into a manifest or an export.
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
