/// An output that would take the place of an input, or of another output.
public struct FileConflict: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is at the output's path already.
    public enum Occupant: Hashable, Sendable {
        /// A file that is read, as what.
        case input(FileRole)
        /// Another output, by its name.
        case output(String)
    }

    /// What the output is called: the option that names it.
    public var output: String
    /// The output's path, as it was named.
    public var path: String
    /// What is there.
    public var occupant: Occupant

    /// A clash.
    public init(output: String, path: String, occupant: Occupant) {
        self.output = output
        self.path = path
        self.occupant = occupant
    }

    /// One sentence for people.
    public var description: String {
        switch occupant {
        // `--write json=` is followed by the path itself.
        case .input(let role): "\(output)\(output.hasSuffix("=") ? "" : " ")\(path) would replace \(role.words)"
        case .output(let other): "\(Self.option(output)) and \(Self.option(other)) both name \(path)"
        }
    }

    private static func option(_ name: String) -> String { name.hasSuffix("=") ? String(name.dropLast()) : name }
}
