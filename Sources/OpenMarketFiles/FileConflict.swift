/// An output that would replace an input, another output, or data that exists only in the file at its path.
package struct FileConflict: Error, Hashable, Sendable, CustomStringConvertible {
    enum Occupant: Hashable, Sendable {
        case input(FileRole)
        case output(String)
        /// An export that was edited: its digest differs from the one in its certificate.
        case editedExport
        /// A SQLite database that is not an export, or also has tables of others.
        case otherDatabase
        case stateFolder
        /// Standard output, although the output must be a file.
        case standardOutput
        /// No file, but the name's ending belongs to another format.
        case otherEnding(String, written: OutputContent)
        /// Not a file but a text in braces that is not a placeholder.
        case placeholder(String)
    }

    /// The option of the output.
    var output: String
    var path: String
    var occupant: Occupant

    package var description: String {
        switch occupant {
        case .input(let role): "\(place) would replace \(role.words)"
        case .output(let other): "\(Self.option(output)) and \(Self.option(other)) both name \(path)"
        case .editedExport: "\(place) would replace an export that was edited since"
        case .otherDatabase: "\(place) would replace a SQLite database that no export wrote"
        case .standardOutput: "\(output) takes the name of a file, and not -"
        case .stateFolder: "\(place) would be among the files of the state"
        case .otherEnding(let ending, let written):
            "\(place): the format is \(written.name), and the ending .\(ending) is of another one"
        case .placeholder(let text): "\(place): unknown placeholder \(text)"
        }
    }

    /// Whether the file's content prevents replacing it, and not its use by the command.
    package var isOfContent: Bool { [.editedExport, .otherDatabase].contains(occupant) }

    private var isTable: Bool { [".csv", ".tsv"].contains { path.lowercased().hasSuffix($0) } }

    package var help: String {
        switch occupant {
        case .otherEnding(_, let written): "name a file that ends in .\(written.endings.first ?? "txt")"
        case .editedExport where isTable:
            "`openmarket edit \(path)` takes the edits into the manifest; --discard-edits of an export drops them"
        case .editedExport: "name another file, or move that one away; --discard-edits of an export writes over it"
        case .otherDatabase: "name another file, or move that one away"
        case .standardOutput: "name a file"
        case .placeholder: "the placeholders are {date} and {date:utc}, the day, in the names of exports"
        case .input, .output, .stateFolder: "name another file"
        }
    }

    /// The option and its path; `--write json=` is followed by the path without a space.
    private var place: String { "\(output)\(output.hasSuffix("=") ? "" : " ")\(path)" }

    private static func option(_ name: String) -> String { name.hasSuffix("=") ? String(name.dropLast()) : name }
}
