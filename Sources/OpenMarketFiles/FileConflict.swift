/// An output that would take the place of an input, of another output, or of a file of another kind.
package struct FileConflict: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is at the output's path already.
    enum Occupant: Hashable, Sendable {
        /// A file that is read, as what.
        case input(FileRole)
        /// Another output, by its name.
        case output(String)
        /// A file of another kind than what is written, by the name of that.
        case otherKind(String)
        /// The files of a state.
        case stateFolder
        /// Standard output, where only a file will do.
        case standardOutput
        /// Nothing, but the name says that it is something else than what is written, by the name of that.
        case otherEnding(String, written: String, help: String)
    }

    /// What the output is called: the option that names it.
    var output: String
    /// The output's path, as it was named.
    var path: String
    /// What is there, or why nothing is to be there.
    var occupant: Occupant

    /// A clash.
    init(output: String, path: String, occupant: Occupant) {
        self.output = output
        self.path = path
        self.occupant = occupant
    }

    /// One sentence for people.
    package var description: String {
        switch occupant {
        case .input(let role): "\(place) would replace \(role.words)"
        case .output(let other): "\(Self.option(output)) and \(Self.option(other)) both name \(path)"
        case .otherKind(let written): "\(place) would replace a file that is not \(written) of openmarket's"
        case .standardOutput: "\(output) takes the name of a file, and not -"
        case .stateFolder: "\(place) would be among the files of the state"
        case .otherEnding(let ending, let written, _): "\(place): what is written is \(written), and .\(ending) is not"
        }
    }

    /// What to do about it.
    package var help: String {
        switch occupant {
        case .otherEnding(_, _, let help): help
        case .otherKind: "name another file, or move that one away"
        case .standardOutput: "name a file"
        case .input, .output, .stateFolder: "name another file"
        }
    }

    /// The option and its file; `--write json=` is followed by the path itself.
    private var place: String { "\(output)\(output.hasSuffix("=") ? "" : " ")\(path)" }

    private static func option(_ name: String) -> String { name.hasSuffix("=") ? String(name.dropLast()) : name }
}
