import Synchronization
import SystemPackage

/// The files that a command reads and writes: no output replaces an input, another output, or what only it has.
///
/// Files are compared by identity and not by name; those that do not exist yet, by their future location. Code that
/// opens a file to read it notes it here (``InputFile`` does). Code that writes one first calls
/// ``requireFree(_:replacing:mayReplace:)``.
///
/// Outputs are declared before anything else, so that a clash is found whichever of the two comes first. ``check()``
/// reports one before the first request.
///
/// Each file that is read takes some twenty bytes of memory.
package final class FileRegister: Sendable {
    /// The register of the running command.
    ///
    /// Outside a command nothing is noted: a long-lived process would remember deleted files, whose numbers the system
    /// reuses.
    @TaskLocal package static var current = FileRegister(notesNothing: true)

    fileprivate struct Output: Sendable {
        var name: String
        var path: String
        var place: FilePlace
        /// The roles in which it may be read and yet be replaced.
        var replaceable: FileRole
        var content: OutputContent
        /// Whether it may replace an export that was edited.
        var discardsEdits: Bool
        /// Whether it was written: later readers read the new content.
        var isWritten = false
    }

    fileprivate struct State: Sendable {
        var files: [FileIdentity: FileRole] = [:]
        /// Files that may be read and do not exist yet.
        var places: [(place: FilePlace, role: FileRole)] = []
        /// Folders, with everything below them.
        var folders: [(path: String, role: FileRole)] = []
        var outputs: [Output] = []
        var conflict: FileConflict?
    }

    private let state = Mutex(State())
    /// The role in which a file is always read, by its content.
    private let recognize: @Sendable (String) -> FileRole
    private let notesNothing: Bool

    /// Creates a register without files.
    ///
    /// `recognize` gives the role in which a path is always read, whether or not it was noted. States are recognized by
    /// their content, wherever they are.
    package init(recognizing recognize: @escaping @Sendable (String) -> FileRole = { _ in [] }) {
        self.recognize = recognize
        notesNothing = false
    }

    private init(notesNothing: Bool) {
        recognize = { _ in [] }
        self.notesNothing = notesNothing
    }

    // MARK: - Inputs

    /// Notes a file that is or may be read, whether or not it exists.
    package func note(_ path: String, as role: FileRole) {
        guard !notesNothing else { return }
        let place = FilePlace(path)
        guard !place.isSpecial || place.identity != nil else { return }
        state.withLock { state in
            if let identity = place.identity {
                state.files[identity, default: []].formUnion(role)
            } else {
                state.places.append((place, role))
            }
            let clash = state.outputs.first { $0.place.isSame(as: place) && !$0.mayReplace(role) }
            if let clash { state.note(clash, role) }
        }
    }

    /// Notes a file whose status is known.
    func note(_ status: Stat, as role: FileRole) {
        guard !notesNothing, let identity = FileIdentity(status) else { return }
        state.withLock { state in
            state.files[identity, default: []].formUnion(role)
            let clash = state.outputs.first { $0.place.identity == identity && !$0.mayReplace(role) }
            if let clash { state.note(clash, role) }
        }
    }

    /// Notes everything below a folder.
    package func note(folder: String, as role: FileRole) {
        guard !notesNothing else { return }
        state.withLock { state in
            state.folders.append((folder, role))
            let clash = state.outputs.first { $0.place.isBelow(folder) && !$0.mayReplace(role) }
            if let clash { state.note(clash, role) }
        }
    }

    /// Whether a file is read in any role but these.
    package func isInput(_ path: String, but ignored: FileRole = []) -> Bool {
        let place = FilePlace(path)
        return state.withLock { !$0.roles(of: place).subtracting(ignored).isEmpty }
    }

    // MARK: - Outputs

    package var hasOutputs: Bool { state.withLock { !$0.outputs.isEmpty } }

    /// Declares an output.
    ///
    /// The path is `nil` if the output is not requested; a device or a pipe replaces nothing. `name` is the output's
    /// name in messages. With `discardsEdits`, an export is replaced even if it was edited since.
    ///
    /// `checksName` states whether the file's name must fit too, and `mayBeCompressed` whether `.gz` in the name only
    /// means compression. `replaceable` lists the roles in which the file may be read and yet be written again. Without
    /// `allowsStandardOutput`, `-` is refused.
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
        allowsStandardOutput: Bool = false
    ) throws(FileConflict) {
        guard let path, !(allowsStandardOutput && StandardStreams.isOutput(path)) else { return }
        guard path != "-" else { throw FileConflict(output: name, path: path, occupant: .standardOutput) }
        let place = FilePlace(path)
        guard !place.isSpecial else { return }
        // The day of an export is in its name by now.
        if content != .checkedByReader, let unknown = FileSystem.name(of: path).firstMatch(of: #/\{[^{}]*\}/#) {
            throw FileConflict(output: name, path: path, occupant: .placeholder(String(unknown.output)))
        }
        let output = Output(
            name: name,
            path: path,
            place: place,
            replaceable: replaceable,
            content: content,
            discardsEdits: discardsEdits
        )
        let recognized = recognize(path)
        let conflict = state.withLock { state -> FileConflict? in
            let roles = state.roles(of: place).union(recognized).subtracting(replaceable)
            guard roles.isEmpty else { return FileConflict(output: name, path: path, occupant: .input(roles)) }
            if let other = state.outputs.first(where: { $0.place.isSame(as: place) }) {
                // The same output, declared twice.
                if other.name == name, other.path == path { return nil }
                return FileConflict(output: name, path: path, occupant: .output(other.name))
            }
            if !notesNothing { state.outputs.append(output) }
            return nil
        }
        if let conflict { throw conflict }
        if checksName, let ending = content.foreignEnding(of: path, mayBeCompressed: mayBeCompressed) {
            let occupant = FileConflict.Occupant.otherEnding(ending, written: content.name, help: content.nameHelp)
            throw FileConflict(output: name, path: path, occupant: occupant)
        }
        try requireReplaceable(output, place)
    }

    /// Requires that an output may replace the file at its path: any but a state's, another program's database, and an
    /// export that was edited since.
    ///
    /// Manifests that no export wrote are left to those that write manifests: an export has its own proof of them.
    private func requireReplaceable(_ output: Output, _ place: FilePlace) throws(FileConflict) {
        let path = output.path
        guard output.content != .checkedByReader else { return }
        guard !place.isStateFile else { throw FileConflict(output: output.name, path: path, occupant: .stateFolder) }
        // A path that can only be a folder is not written at all.
        guard place.identity != nil, path.utf8.last != UInt8(ascii: "/") else { return }
        if ExportedFile.isOtherDatabase(path) {
            throw FileConflict(output: output.name, path: path, occupant: .otherDatabase)
        }
        if output.content != .yaml, !output.discardsEdits, ExportedFile.isEdited(path) {
            throw FileConflict(output: output.name, path: path, occupant: .editedExport)
        }
    }

    /// Throws if a declared output is an input.
    package func check() throws(FileConflict) {
        if let conflict = state.withLock(\.conflict) { throw conflict }
    }

    /// Requires that a file may be written now; called before it is started and again before it is moved to its path.
    ///
    /// `replaceable` lists the roles in which the file may be read and yet be written again. `mayReplace` states
    /// whether an existing file would be replaced.
    func requireFree(
        _ path: String,
        replacing replaceable: FileRole = [],
        mayReplace: Bool = true
    ) throws(FileConflict) {
        let place = FilePlace(path)
        guard !place.isSpecial else { return }
        let recognized = recognize(path)
        let (output, roles) = state.withLock { state -> (Output?, FileRole) in
            let output = state.outputs.first { $0.place.isSame(as: place) }
            let roles = state.roles(of: place).union(recognized).subtracting(output?.replaceable ?? [])
                .subtracting(replaceable)
            return (output, roles)
        }
        guard roles.isEmpty else {
            throw FileConflict(output: output?.name ?? "writing", path: path, occupant: .input(roles))
        }
        // The file may have appeared after the output was declared.
        if let output, mayReplace, !output.isWritten {
            try requireReplaceable(output, place)
        }
    }

    func noteWritten(_ path: String) {
        let place = FilePlace(path)
        state.withLock { state in
            for index in state.outputs.indices where state.outputs[index].place.isSame(as: place) {
                state.outputs[index].isWritten = true
            }
        }
    }
}

extension FileRegister.Output {
    fileprivate func mayReplace(_ role: FileRole) -> Bool { isWritten || replaceable.contains(role) }
}

extension FileRegister.State {
    /// The roles in which a file is read.
    fileprivate func roles(of place: FilePlace) -> FileRole {
        var roles: FileRole = place.identity.flatMap { files[$0] } ?? []
        for (other, role) in places where other.isSame(as: place) { roles.formUnion(role) }
        for (folder, role) in folders where place.isBelow(folder) { roles.formUnion(role) }
        return roles
    }

    fileprivate mutating func note(_ output: FileRegister.Output, _ role: FileRole) {
        let roles = role.subtracting(output.replaceable)
        conflict = conflict ?? FileConflict(output: output.name, path: output.path, occupant: .input(roles))
    }
}
