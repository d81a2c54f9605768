/// How to get from the live catalog to the manifest: a value that is shown, saved, compared and applied.
package struct Plan: Sendable, Hashable {
    /// What to do, ordered by action, then by the manifest's order, then by key.
    ///
    /// At most one request-sending operation a key.
    package var operations: [PlannedOperation]
    /// How many managed products need nothing.
    package var unchanged: Int
    /// How many products the run was not about: listings and managed products that it was to leave alone.
    package var unselected: Int
    /// What the state learns although nothing needs doing: a value that both sides changed alike, a new name for a key.
    package var stateUpdates: [StateMutation]
    /// What forbids this plan until the user overrides it.
    package var refusals: [PlanRefusal]
    /// What the live products of the names of those to be made were taken for.
    package var namesakes: KnownNamesakes
    /// The keys of products that are refused because another key is probably theirs, unless an earlier run was to make
    /// them: then that was agreed to.
    package var doubtfulKeys: [String] = []
    /// The keys of products that are gone, where so many are that the plan is refused, unless an earlier run was to delete them:
    /// then that was asked for.
    package var goneKeys: [String] = []
    /// What the user should know: two candidates for adoption (an error), a dirty row (a warning).
    package var diagnostics: [Diagnostic]

    /// A plan.
    package init(
        operations: [PlannedOperation] = [],
        unchanged: Int = 0,
        unselected: Int = 0,
        stateUpdates: [StateMutation] = [],
        refusals: [PlanRefusal] = [],
        namesakes: KnownNamesakes = KnownNamesakes(),
        diagnostics: [Diagnostic] = []
    ) {
        self.operations = operations
        self.unchanged = unchanged
        self.unselected = unselected
        self.stateUpdates = stateUpdates
        self.refusals = refusals
        self.namesakes = namesakes
        self.diagnostics = diagnostics
    }

    /// Whether there is nothing to carry out.
    package var isEmpty: Bool { operations.isEmpty }

    /// Whether anything changes, on the market or in what the state manages: a new name for a key does, too.
    package var hasChanges: Bool { !operations.isEmpty || stateUpdates.contains { $0.isRename } }

    /// The keys that get another name, in the manifest's order.
    package var renames: [(from: String, to: String)] {
        stateUpdates.compactMap { update in
            if case .rename(let from, let to) = update { (from, to) } else { nil }
        }
    }

    /// Whether nothing forbids it: no errors, no refusals.
    package var isSound: Bool { refusals.isEmpty && !diagnostics.contains { $0.severity == .error } }

    /// How many operations of each kind there are.
    package var summary: PlanSummary {
        var summary = PlanSummary(unchanged: unchanged, unselected: unselected)
        summary.rename = stateUpdates.count { $0.isRename }
        for operation in operations { summary.count(operation.action) }
        return summary
    }
}

extension StateMutation {
    /// Whether it gives a key another name.
    fileprivate var isRename: Bool { if case .rename = self { true } else { false } }
}

/// The counts in a plan's last line.
package struct PlanSummary: Hashable, Sendable {
    /// Products to create.
    package var add = 0
    /// Products to change in place.
    package var change = 0
    /// Products to replace.
    package var replace = 0
    /// Products to delete.
    package var delete = 0
    /// Products to take under management.
    package var adopt = 0
    /// Products to drop from the state.
    package var forget = 0
    /// Products to keep under another key; what else is to be done to them is counted, too.
    package var rename = 0
    /// Products that need nothing.
    package var unchanged: Int
    /// Products that the run was not about.
    package var unselected: Int

    /// Counts of a plan in which so many products need nothing, and that is not about so many.
    package init(unchanged: Int = 0, unselected: Int = 0) {
        self.unchanged = unchanged
        self.unselected = unselected
    }

    /// Counts one operation.
    mutating func count(_ action: PlannedOperation.Action) {
        switch action {
        case .create: add += 1
        case .update: change += 1
        case .replace: replace += 1
        case .delete: delete += 1
        case .adopt: adopt += 1
        case .forget: forget += 1
        }
    }
}

/// A brake or a policy that a plan would break.
package struct PlanRefusal: Hashable, Sendable {
    /// Which rule it is, where programs distinguish it.
    package enum Code: String, Hashable, Sendable {
        /// The market says that we are another vendor than the one that is claimed.
        case vendorContradicted = "vendor_contradicted"
        /// Nothing confirms the vendor number that would make namesakes others'.
        case vendorUnconfirmed = "vendor_unconfirmed"
    }

    /// What would happen and which rule forbids it.
    package var message: String
    /// Whether it is that many managed products are gone.
    var isOfGone: Bool { if case .gone? = override { true } else { false } }

    /// What lets it pass; `nil` where nothing does.
    package var override: PlanOverride?
    /// The manifest's line, where one product is at fault.
    package var source: SourceLocation?
    /// Which rule it is, where programs distinguish it.
    package var code: Code?

    /// A refusal.
    init(_ message: String, override: PlanOverride?, source: SourceLocation? = nil, code: Code? = nil) {
        self.message = message
        self.override = override
        self.source = source
        self.code = code
    }

    /// The refusal of a plan that rests on a vendor number which the market contradicts.
    init(_ contradiction: VendorContradiction) {
        self.init(contradiction.description, override: .vendorNumber, code: .vendorContradicted)
    }
}
