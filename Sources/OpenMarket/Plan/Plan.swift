/// The steps from the live catalog to the manifest: shown, saved, compared and applied.
package struct Plan: Sendable, Hashable {
    /// Ordered by action, then by the manifest's order, then by key.
    ///
    /// At most one operation per key sends requests.
    package var operations: [PlannedOperation] = []
    package var unchanged = 0
    /// The number of listings and managed products outside the run's selection.
    package var unselected = 0
    /// Of products that are planned in part, the fields that differ besides.
    package var waiting = 0
    /// Changes of the state without an operation, such as a value that both sides changed alike.
    package var stateUpdates: [StateMutation] = []
    /// Failed policy checks, which the user can override.
    package var refusals: [PlanRefusal] = []
    package var namesakes = KnownNamesakes()
    /// Keys of products that are refused because another key is probably theirs.
    ///
    /// Exempt if an earlier run was to create them, because that was approved.
    package var doubtfulKeys: [String] = []
    /// Keys of products that are gone, if their number refuses the plan.
    ///
    /// Exempt if an earlier run was to delete them, because that was requested.
    package var goneKeys: [String] = []
    /// Such as two candidates for adoption (an error) or a dirty row (a warning).
    package var diagnostics: [Diagnostic] = []

    package static let blank = Plan()

    package var isEmpty: Bool { operations.isEmpty }

    /// In the order of the operations.
    package var renames: [(from: String, to: String)] {
        operations.compactMap { operation in operation.renamedFrom.map { ($0, operation.key) } }
    }

    /// ``stateUpdates`` by the keys that the state has before the operations rename any.
    package var updatesOfPresentKeys: [StateMutation] {
        let former = Dictionary(renames.map { ($0.to, $0.from) }) { first, _ in first }
        return former.isEmpty ? stateUpdates : stateUpdates.map { $0.withKeys { former[$0] ?? $0 } }
    }

    /// Whether it has neither errors nor refusals.
    package var isSound: Bool { refusals.isEmpty && !diagnostics.contains { $0.severity == .error } }

    package var summary: PlanSummary {
        var summary = PlanSummary(unchanged: unchanged, unselected: unselected)
        summary.waiting = waiting
        for operation in operations {
            summary.count(operation.action)
            if operation.renamedFrom != nil { summary.rename += 1 }
        }
        return summary
    }
}

/// The counts in a plan's last line.
package struct PlanSummary: Hashable, Sendable {
    package var add = 0
    package var change = 0
    package var replace = 0
    package var delete = 0
    package var adopt = 0
    package var forget = 0
    /// Products whose key is renamed; their other operations count as well.
    package var rename = 0
    package var unchanged: Int
    package var unselected: Int
    /// Fields that differ, and that a plan of a part of their products leaves.
    package var waiting = 0

    package init(unchanged: Int = 0, unselected: Int = 0) {
        self.unchanged = unchanged
        self.unselected = unselected
    }

    mutating func count(_ action: PlannedOperation.Action) {
        switch action {
        case .create: add += 1
        case .update: change += 1
        case .replace: replace += 1
        case .delete: delete += 1
        case .adopt: adopt += 1
        case .forget: forget += 1
        case .rename: break
        }
    }
}

/// A policy check that a plan fails.
package struct PlanRefusal: Hashable, Sendable {
    /// The failed check, if programs distinguish it.
    package enum Code: String, Hashable, Sendable {
        /// The market reports another vendor number than the claimed one.
        case vendorContradicted = "vendor_contradicted"
        /// The market does not confirm the vendor number that would assign namesakes to another vendor.
        case vendorUnconfirmed = "vendor_unconfirmed"
    }

    package var message: String
    /// Whether the reason is the number of managed products that are gone.
    var isOfGone: Bool { if case .gone? = override { true } else { false } }

    /// The override that lets the plan pass; `nil` if there is none.
    package var override: PlanOverride?
    /// The manifest's line, if one product is the cause.
    package var source: SourceLocation?
    package var code: Code?

    init(_ message: String, override: PlanOverride?, source: SourceLocation? = nil, code: Code? = nil) {
        self.message = message
        self.override = override
        self.source = source
        self.code = code
    }

    /// The refusal of a plan whose vendor number the market contradicts.
    init(_ contradiction: VendorContradiction) {
        self.init(contradiction.description, override: .vendorNumber, code: .vendorContradicted)
    }
}

extension JSONValue {
    package init(_ refusal: PlanRefusal) {
        self = .object(
            of: ("code", refusal.code.map { .string($0.rawValue) }),
            ("message", .string(refusal.message)),
            ("override", refusal.override.map { .string($0.description) }),
            ("source", refusal.source.map { JSONValue($0) })
        )
    }
}
