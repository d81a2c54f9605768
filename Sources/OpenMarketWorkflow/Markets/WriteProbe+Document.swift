package import OpenMarket
import OpenMarketDescription
import OpenMarketManifest

extension WriteProbe {
    var document: JSONValue {
        .object(
            of: ("sound", .bool(isSound)),
            ("key", .string(key)),
            ("id", product.map(JSONValue.init(_:))),
            ("error", failure.map { .string($0.message) }),
            ("remains", remains.map(JSONValue.string)),
            (
                "requests",
                .array(
                    steps.map {
                        .object(
                            of: ("name", .string($0.name)),
                            ("outcome", .string($0.outcome)),
                            ("sound", .bool($0.isSound))
                        )
                    }
                )
            ),
            (
                "fields",
                .array(
                    fields.map {
                        .object(
                            of: ("field", .string($0.field.rawValue)),
                            ("sent", .string($0.sent)),
                            ("made", $0.created.document),
                            ("changed", $0.changed.document),
                            ("cleared", $0.cleared.document)
                        )
                    }
                )
            ),
            ("diagnostics", .array(diagnostics(in: nil).map { JSONValue($0) }))
        )
    }

    /// The description's faults, each with its line; `file` names the description in messages.
    package func diagnostics(in file: String?) -> [Diagnostic] {
        faults.diagnostics(of: source, file: file ?? "the description")
    }
}

extension WriteProbe.Echo {
    fileprivate var document: JSONValue {
        let (what, words): (String, String?) =
            switch self {
            case .asSent: ("as_sent", nil)
            case .normalised(let shown): ("normalised", shown)
            case .other(let shown): ("other", shown)
            case .missing: ("missing", nil)
            case .failed(let why): ("failed", why)
            case .untried(let why): ("not_tried", why.isEmpty ? nil : why)
            }
        return .object(of: ("echo", .string(what)), ("message", words.map(JSONValue.string)))
    }
}
