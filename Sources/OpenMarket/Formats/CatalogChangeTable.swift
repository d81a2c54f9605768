/// The changes since an earlier export as CSV, TSV or JSON Lines for programs, one row for each change.
///
/// `_change` is `new`, `changed` or `gone`; `_fields` names the changed columns. The columns of an export follow, with
/// the newer or latest values, and then the earlier values of the compared columns.
package struct CatalogChangeTable: Sendable {
    /// The first column, which an export does not have.
    package static let mark = "_change"

    package enum Form: Hashable, Sendable {
        case table(delimiter: UInt8)
        case lines
    }

    package static func bytes(_ changes: CatalogChanges, as form: Form) -> [UInt8] {
        let columns = [CatalogColumn.id, .key] + changes.columns
        switch form {
        case .table(let delimiter):
            var writer = CSVWriter(delimiter: delimiter)
            let names = columns.map(\.rawValue) + changes.columns.map { "_old_\($0.rawValue)" }
            for name in [mark, "_fields"] + names { writer.append(name) }
            writer.endRecord()
            for change in changes.changes {
                writer.append(change.kind.rawValue)
                writer.append(change.fields.isEmpty ? nil : change.fields.map(\.rawValue).joined(separator: " "))
                for column in columns { change.row[column].put(into: &writer) }
                for column in changes.columns { (change.before?[column] ?? .unset).put(into: &writer) }
                writer.endRecord()
            }
            return writer.takeBytes()
        case .lines:
            var writer = JSONWriter()
            for change in changes.changes {
                writer.object { writer in
                    writer.member(mark, change.kind.rawValue)
                    writer.name("_fields")
                    writer.array { writer in for field in change.fields { writer.string(field.rawValue) } }
                    for column in columns {
                        writer.name(column.rawValue)
                        change.row[column].put(into: &writer)
                    }
                    writer.name("_old")
                    writer.object { writer in
                        guard let before = change.before else { return }
                        for column in change.fields {
                            writer.name(column.rawValue)
                            before[column].put(into: &writer)
                        }
                    }
                }
                writer.endLine()
            }
            return writer.take()
        }
    }
}
