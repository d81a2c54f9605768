#if PostgreSQL
import OpenMarket

/// The parts of a statement that change entries, and their parameters.
struct ChangeStatement {
    /// Table expressions, each under a name, to be written behind `WITH`.
    private(set) var parts: [String] = []
    private(set) var parameters: [Parameter]

    /// - Parameter parameters: Those that the statement has already.
    init(_ parameters: [Parameter] = []) {
        self.parameters = parameters
    }

    /// Adds a parameter.
    ///
    /// - Returns: Its name.
    mutating func bind(_ parameter: Parameter) -> String {
        parameters.append(parameter)
        return "$\(parameters.count)"
    }

    mutating func add(part: String) { parts.append(part) }

    /// Adds changes of entries, of the market that the table expression `held` has as `scope`.
    mutating func add(_ changes: StateChanges, _ tables: StateTables) {
        if !changes.drops.isEmpty {
            let drops = changes.drops.sorted { $0.key < $1.key }
            let keys = bind(Parameter(drops.map { Optional($0.key) }))
            let ids = bind(Parameter(drops.map { $0.value?.column }))
            parts.append(
                """
                gone AS (
                    DELETE FROM \(tables.entries) e USING held, unnest(\(keys)::text[], \(ids)::text[]) AS g (key, id)
                    WHERE e.scope = held.scope AND e.key = g.key AND e.id = coalesce(g.id, e.id)
                )
                """
            )
        }
        if !changes.puts.isEmpty {
            var writer = JSONWriter()
            writer.array { writer in
                for put in changes.puts.values { put.write(to: &writer) }
            }
            let rows = bind(Parameter(bytes: writer.bytes))
            parts.append(
                """
                puts AS (
                    INSERT INTO \(tables.entries) (scope, \(StateTables.entryColumns))
                    SELECT held.scope, \(Self.columns("p")) FROM held,
                        json_populate_recordset(NULL::\(tables.entries), \(rows)::json) AS p
                    ON CONFLICT (scope, key) DO UPDATE SET \(Self.assignments)
                )
                """
            )
        }
        if let vendor = changes.vendor {
            let number = bind(Parameter(vendor))
            parts.append(
                """
                vendors AS (
                    UPDATE \(tables.scopes) s SET vendor = \(number)::bigint FROM held
                    WHERE s.id = held.scope AND s.vendor IS DISTINCT FROM \(number)::bigint
                )
                """
            )
        }
    }

    private static func columns(_ table: String) -> String {
        EntryColumns.names.map { "\(table).\($0)" }.joined(separator: ", ")
    }

    private static let assignments = EntryColumns.names.dropFirst().map { "\($0) = excluded.\($0)" }
        .joined(separator: ", ")
}
#endif
