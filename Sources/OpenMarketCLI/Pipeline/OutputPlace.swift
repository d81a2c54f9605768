import OpenMarketFiles

enum OutputPlace {
    /// Declares an output in the register of files.
    ///
    /// - Parameters:
    ///   - path: where it goes; `nil` where it is not asked for.
    ///   - name: what it is called in messages: the option.
    ///   - content: what it is written as; `nil` where the file's name decides.
    ///   - replaceable: as what its path may be read and yet be written again.
    ///   - allowsStdout: whether `-` stands for stdout.
    /// - Throws: ``CommandFailure`` with exit 64; `FileConflict`.
    static func declare(
        _ path: String?,
        _ name: String,
        as content: OutputContent?,
        replacing replaceable: FileRole = [],
        allowsStdout: Bool = false
    ) throws {
        guard let path, !(path == "-" && allowsStdout) else { return }
        guard path != "-" else { throw CommandFailure(.usage, "\(name) takes the name of a file, and not -") }
        try FileRegister.current.declare(path, named: name, replacing: replaceable)
        try content?.requireName(path, of: name)
    }
}
