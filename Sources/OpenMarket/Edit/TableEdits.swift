/// What a table changes in the manifest, as the edits that write it.
package struct TableEdits: Sendable {
    /// In the order of the rows, with products and values that are left alone.
    package var edits: [ProductEdit]
    /// By key, the fields whose cell differs from its base, whether or not the manifest has the value already; of a new
    /// or removed product all.
    package var touched: [String: ProductFieldSet]
    /// Warnings, and the refusals of tables that are damaged or another market's.
    package var diagnostics: [Diagnostic]

    package init(
        edits: [ProductEdit] = [],
        touched: [String: ProductFieldSet] = [:],
        diagnostics: [Diagnostic] = []
    ) {
        self.edits = edits
        self.touched = touched
        self.diagnostics = diagnostics
    }
}
