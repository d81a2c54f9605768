/// What a table changes in the manifest, as the edits that write it.
package struct TableEdits: Sendable {
    /// In the order of the rows, with products and values that are left alone.
    package var edits: [ProductEdit]
    /// By key, the fields whose cell differs from its base, whether or not the manifest has the value already; of a new
    /// or removed product all.
    package var touched: [String: ProductFieldSet]
    /// Warnings and errors; with an error nothing may be written.
    package var diagnostics: [Diagnostic]
    /// Slips in keys, mixed up rows, protected products, too many removals; with one nothing may be written.
    package var refusals: [PlanRefusal]
    /// Rows that change nothing.
    package var unchanged = 0

    package init(
        edits: [ProductEdit] = [],
        touched: [String: ProductFieldSet] = [:],
        diagnostics: [Diagnostic] = [],
        refusals: [PlanRefusal] = []
    ) {
        self.edits = edits
        self.touched = touched
        self.diagnostics = diagnostics
        self.refusals = refusals
    }
}
