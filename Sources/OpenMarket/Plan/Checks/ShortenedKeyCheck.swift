/// Keys of tables that a spreadsheet shortened.
extension PlanCheck {
    /// Reports keys that a spreadsheet shortened, in one diagnostic.
    static func shortenedKeys(_ context: Context) -> [Diagnostic] {
        let rows = context.rows.shortenedKeys
        guard let first = rows.first, let text = first.row?.shortenedKey else { return [] }
        return [
            Diagnostic(
                .warning,
                .key,
                "a spreadsheet shortened \(counted(rows.count, "key")), '\(text.excerpt)' of '\(first.key)' first; the ids "
                    + "name the products",
                location: first.location(ofCell: .key),
                help: "format the column 'key' as text before the table is opened",
                count: rows.count
            )
        ]
    }
}
