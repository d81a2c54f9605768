/// An output that would replace an input, another output, or what only the file at its path has.
package struct FileConflict: Error, Hashable, Sendable, CustomStringConvertible {
    /// The current occupant of the output's path.
    enum Occupant: Hashable, Sendable {
        /// A file that is read in this role.
        case input(FileRole)
        /// Another output, by its name.
        case output(String)
        /// An export whose bytes are not those of its certificate.
        case editedExport
        /// A SQLite database that no export wrote.
        case otherDatabase
        /// The files of a state.
        case stateFolder
        /// Standard output, where only a file works.
        case standardOutput
        /// No file, but the name belongs to another kind of file than the one written.
        case otherEnding(String, written: OutputContent)
        /// No file, but a text in braces for which nothing stands.
        case placeholder(String)
    }

    /// The option that names the output.
    var output: String
    /// The output's path as given.
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
            "\(place): what is written is \(written.name), and .\(ending) is not"
        case .placeholder(let text): "\(place): there is no placeholder \(text)"
        }
    }

    package var losesEdits: Bool { occupant == .editedExport }
    /// Whether the file's content speaks against replacing it, and not its use by the command.
    package var isOfContent: Bool { losesEdits || occupant == .otherDatabase }

    package var help: String {
        switch occupant {
        case .otherEnding(_, let written): "name a file that ends in .\(written.endings.first ?? "txt")"
        case .editedExport, .otherDatabase: "name another file, or move that one away"
        case .standardOutput: "name a file"
        case .placeholder: "there are {date} and {date:utc}, the day, in the names of exports"
        case .input, .output, .stateFolder: "name another file"
        }
    }

    /// The option and its file; the path follows `--write json=` without a space.
    private var place: String { "\(output)\(output.hasSuffix("=") ? "" : " ")\(path)" }

    private static func option(_ name: String) -> String { name.hasSuffix("=") ? String(name.dropLast()) : name }
}
