package import OpenMarket
import Synchronization
import SystemPackage

/// The files that a command reads and writes: no output replaces an input, another output, or data that exists nowhere
/// else.
///
/// Existing files are compared by identity, others by their resolved path. Code that opens a file for reading records
/// it here (``InputFile`` does). Code that writes one first calls ``requireFree(_:replacing:mayReplace:)``.
///
/// Outputs are declared before anything else, so that ``check()`` finds a conflict before the first request.
///
/// Each file that is read takes some twenty bytes of memory.
package final class FileRegister: Sendable {
    /// The register of the running command.
    ///
    /// Outside a command files are not recorded: a long-lived process would remember deleted files, whose inode numbers
    /// the system reuses.
    @TaskLocal package static var current = FileRegister(notesNothing: true)

    private struct Output: Sendable {
        var name: String
        var path: String
        /// The roles that allow replacing the file although it is read.
        var replaceable: FileRole
        var content: OutputContent
        var discardsEdits: Bool
        var takenEdits: Set<ContentDigest>
        /// Whether the output was written, so that later readers read the new content.
        var isWritten = false
    }

    private struct State: Sendable {
        var files: [FileIdentity: FileRole] = [:]
        /// Files that a command may read, but that do not exist yet.
        var missing: [(location: FileLocation, role: FileRole)] = []
        /// Folders whose whole content is read.
        var folders: [(path: String, role: FileRole)] = []
        var outputs: [(output: Output, location: FileLocation)] = []

        func roles(of location: FileLocation) -> FileRole {
            var roles: FileRole = location.identity.flatMap { files[$0] } ?? []
            for (other, role) in missing where other.isSame(as: location) { roles.formUnion(role) }
            for (folder, role) in folders where location.isBelow(folder) { roles.formUnion(role) }
            return roles
        }
    }

    private let state = Mutex(State())
    private let recognize: @Sendable (String) -> FileRole
    private let holdsOtherTables: @Sendable (String) -> Bool
    private let notesNothing: Bool

    /// Creates a register without files.
    ///
    /// `recognize` returns the roles that a path has even if it was not recorded. States are recognized by their
    /// content, whatever their path. `holdsOtherTables` returns whether a database that an export wrote has got tables
    /// of others since.
    package init(
        notesNothing: Bool = false,
        recognizing recognize: @escaping @Sendable (String) -> FileRole = { _ in [] },
        holdsOtherTables: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.recognize = recognize
        self.holdsOtherTables = holdsOtherTables
        self.notesNothing = notesNothing
    }

    // MARK: - Inputs

    /// Records a file that is or may be read, whether or not it exists.
    package func note(_ path: String, as role: FileRole) {
        guard !notesNothing else { return }
        let location = FileLocation(path)
        state.withLock { state in
            if let identity = location.identity {
                state.files[identity, default: []].formUnion(role)
            } else if !location.isSpecial {
                state.missing.append((location, role))
            }
        }
    }

    func note(_ status: Stat, as role: FileRole) {
        guard !notesNothing, let identity = FileIdentity(status) else { return }
        state.withLock { $0.files[identity, default: []].formUnion(role) }
    }

    /// Records everything below a folder as read.
    package func note(folder: String, as role: FileRole) {
        guard !notesNothing else { return }
        state.withLock { $0.folders.append((folder, role)) }
    }

    /// Whether a file is read in a role other than the ignored ones.
    package func isInput(_ path: String, but ignored: FileRole = []) -> Bool {
        let location = FileLocation(path)
        return state.withLock { !$0.roles(of: location).subtracting(ignored).isEmpty }
    }

    // MARK: - Outputs

    package var hasOutputs: Bool { state.withLock { !$0.outputs.isEmpty } }

    /// Declares an output.
    ///
    /// The path is `nil` if the output is not requested; a device or a pipe is never replaced. `name` is the output's
    /// name in messages. With `discardsEdits`, an export is replaced even if it was edited since, and also if its bytes
    /// are in `takenEdits`.
    ///
    /// With `checksName` the ending of the file's name must fit the content; with `mayBeCompressed`, `.gz` in it only
    /// means compression. `replaceable` lists the roles that allow rewriting the file although it is read.
    ///
    /// Throws ``FileConflict``.
    package func declare(
        _ path: String?,
        named name: String,
        as content: OutputContent,
        checksName: Bool = true,
        mayBeCompressed: Bool = false,
        replacing replaceable: FileRole = [],
        discardsEdits: Bool = false,
        takenEdits: Set<ContentDigest> = []
    ) throws(FileConflict) {
        guard let path else { return }
        guard path != "-" else { throw FileConflict(output: name, path: path, occupant: .standardOutput) }
        let location = FileLocation(path)
        guard !location.isSpecial else { return }
        // The placeholder of an export's day has been replaced already.
        if content != .checkedByReader, let unknown = FileSystem.name(of: path).firstMatch(of: #/\{[^{}]*\}/#) {
            throw FileConflict(output: name, path: path, occupant: .placeholder(String(unknown.output)))
        }
        let output = Output(
            name: name,
            path: path,
            replaceable: replaceable,
            content: content,
            discardsEdits: discardsEdits,
            takenEdits: takenEdits
        )
        try requireNoInput(path, location, replacing: replaceable, named: name)
        let other = state.withLock { state -> Output? in
            let other = state.outputs.first { $0.location.isSame(as: location) }?.output
            if other == nil, !notesNothing { state.outputs.append((output, location)) }
            return other
        }
        if let other {
            // The same output, declared twice.
            if other.name == name, other.path == path { return }
            throw FileConflict(output: name, path: path, occupant: .output(other.name))
        }
        if checksName, let ending = content.foreignEnding(of: path, mayBeCompressed: mayBeCompressed) {
            throw FileConflict(output: name, path: path, occupant: .otherEnding(ending, written: content))
        }
        try requireReplaceable(output, location)
    }

    /// Throws if a declared output is an input.
    package func check() throws(FileConflict) {
        for (output, _) in state.withLock(\.outputs) where !output.isWritten {
            try requireFree(output.path, mayReplace: false)
        }
    }

    /// Requires that a file may be written now; called before writing starts and again before the file moves to its
    /// path.
    ///
    /// `replaceable` lists the roles that allow rewriting the file although it is read. `mayReplace` states whether an
    /// existing file would be replaced.
    func requireFree(
        _ path: String,
        replacing replaceable: FileRole = [],
        mayReplace: Bool = true
    ) throws(FileConflict) {
        let location = FileLocation(path)
        guard !location.isSpecial else { return }
        let output = state.withLock { $0.outputs.first { $0.location.isSame(as: location) }?.output }
        try requireNoInput(
            path,
            location,
            replacing: replaceable.union(output?.replaceable ?? []),
            named: output?.name ?? "writing"
        )
        // The file may have appeared after the output was declared.
        if let output, mayReplace, !output.isWritten { try requireReplaceable(output, location) }
    }

    /// Records that a file was written, perhaps over another one.
    ///
    /// The roles of the replaced file go to the new one, because the system gives its number to other files.
    func noteWritten(_ path: String, insteadOf former: FileIdentity?) {
        let location = FileLocation(path)
        state.withLock { state in
            if let former, let identity = location.identity, let roles = state.files.removeValue(forKey: former) {
                state.files[identity, default: []].formUnion(roles)
            }
            for index in state.outputs.indices where state.outputs[index].location.isSame(as: location) {
                state.outputs[index].output.isWritten = true
            }
        }
    }

    private func requireNoInput(
        _ path: String,
        _ location: FileLocation,
        replacing replaceable: FileRole,
        named name: String
    ) throws(FileConflict) {
        let roles = state.withLock { $0.roles(of: location) }.union(recognize(path)).subtracting(replaceable)
        guard roles.isEmpty else { throw FileConflict(output: name, path: path, occupant: .input(roles)) }
    }

    /// Requires that an output may replace the file at its path.
    ///
    /// Refuses a state's file, another program's database, and an export that was edited since. Manifests are checked
    /// by the commands that write them; only an export's certificate shows an edit here.
    private func requireReplaceable(_ output: Output, _ location: FileLocation) throws(FileConflict) {
        let path = output.path
        guard output.content != .checkedByReader else { return }
        guard !location.isStateFile else { throw FileConflict(output: output.name, path: path, occupant: .stateFolder) }
        // A path that can only be a folder is not written at all.
        guard location.identity != nil, path.utf8.last != UInt8(ascii: "/") else { return }
        if let database = FileKind.databaseID(of: path), database != OutputContent.databaseID || holdsOtherTables(path)
        {
            throw FileConflict(output: output.name, path: path, occupant: .otherDatabase)
        }
        if output.content != .yaml, !output.discardsEdits,
            ExportCertificate.showsEdit(of: path, but: output.takenEdits)
        {
            throw FileConflict(output: output.name, path: path, occupant: .editedExport)
        }
    }
}
