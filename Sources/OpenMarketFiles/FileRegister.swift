import Synchronization
import SystemPackage

/// The files that a command reads and those that it writes: none of its outputs takes the place of an input, or of another
/// output, nor of a file of another kind than what is written.
///
/// Files are compared by what they are and not by what they are called, and those that are not there yet by the place where
/// they will be. Whoever opens a file to read it notes it here (``InputFile`` does), and whoever writes one asks here first
/// (``requireFree(_:)``). Outputs are declared before anything is done, so that a clash is found whichever of the two comes
/// first; ``check()`` reports one before the first request.
///
/// Memory holds some twenty bytes for each file that is read.
package final class FileRegister: Sendable {
    /// The register of the command that runs.
    ///
    /// Outside of one nothing is noted: a process that goes on would remember files that are gone, whose numbers the system
    /// gives to others.
    @TaskLocal package static var current = FileRegister(notesNothing: true)

    /// A file that a command writes.
    fileprivate struct Output: Sendable {
        var name: String
        var path: String
        var place: FilePlace
        /// As what it may be read and yet be replaced.
        var replaceable: FileRole
        /// What is written.
        var content: OutputContent
        /// Whether it is there: whoever reads it from now on reads what was written.
        var isWritten = false
    }

    fileprivate struct State: Sendable {
        var files: [FileIdentity: FileRole] = [:]
        /// What may be read and is not there yet.
        var places: [(place: FilePlace, role: FileRole)] = []
        /// All that is below.
        var folders: [(path: String, role: FileRole)] = []
        var outputs: [Output] = []
        var conflict: FileConflict?
    }

    private let state = Mutex(State())
    /// As what a file is read at any time, by its content.
    private let recognize: @Sendable (String) -> FileRole
    private let notesNothing: Bool

    /// A register without files.
    ///
    /// - Parameter recognize: as what a path is read at any time, whether or not it was noted: states are recognized by
    ///   their content, wherever they are.
    package init(recognizing recognize: @escaping @Sendable (String) -> FileRole = { _ in [] }) {
        self.recognize = recognize
        notesNothing = false
    }

    private init(notesNothing: Bool) {
        recognize = { _ in [] }
        self.notesNothing = notesNothing
    }

    // MARK: - Inputs

    /// Notes a file that is read or may be read later, whether or not it is there.
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

    /// Notes all that is below a folder.
    package func note(folder: String, as role: FileRole) {
        guard !notesNothing else { return }
        state.withLock { state in
            state.folders.append((folder, role))
            let clash = state.outputs.first { $0.place.isBelow(folder) && !$0.mayReplace(role) }
            if let clash { state.note(clash, role) }
        }
    }

    /// Whether a file is read as anything but these.
    package func isInput(_ path: String, but ignored: FileRole = []) -> Bool {
        let place = FilePlace(path)
        return state.withLock { !$0.roles(of: place).subtracting(ignored).isEmpty }
    }

    // MARK: - Outputs

    /// Whether any output is declared.
    package var hasOutputs: Bool { state.withLock { !$0.outputs.isEmpty } }

    /// Declares an output.
    ///
    /// - Parameters:
    ///   - path: where it will be; a device or a pipe replaces nothing. `nil` where it is not asked for.
    ///   - name: what it is called in messages.
    ///   - content: what is written; a file of another kind is not replaced.
    ///   - checksName: whether the file's name has to fit that, too.
    ///   - mayBeCompressed: whether `.gz` in the name only says that the file is compressed.
    ///   - replaceable: as what its place may be read and yet be written again.
    ///   - allowsStandardOutput: whether `-` stands for standard output; where it does not, it names no file either.
    /// - Throws: ``FileConflict``.
    package func declare(
        _ path: String?,
        named name: String,
        as content: OutputContent,
        checksName: Bool = true,
        mayBeCompressed: Bool = false,
        replacing replaceable: FileRole = [],
        allowsStandardOutput: Bool = false
    ) throws(FileConflict) {
        guard let path, !(allowsStandardOutput && StandardStreams.isOutput(path)) else { return }
        guard path != "-" else { throw FileConflict(output: name, path: path, occupant: .standardOutput) }
        let place = FilePlace(path)
        guard !place.isSpecial else { return }
        let output = Output(name: name, path: path, place: place, replaceable: replaceable, content: content)
        let recognized = recognize(path)
        let conflict = state.withLock { state -> FileConflict? in
            let roles = state.roles(of: place).union(recognized).subtracting(replaceable)
            guard roles.isEmpty else { return FileConflict(output: name, path: path, occupant: .input(roles)) }
            if let other = state.outputs.first(where: { $0.place.isSame(as: place) }) {
                // Asked for twice, it is the same output.
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
        try requireKind(of: path, place, for: content, named: name)
    }

    /// Makes sure that what is at an output's place is what such an output replaces.
    private func requireKind(
        of path: String,
        _ place: FilePlace,
        for content: OutputContent,
        named name: String
    ) throws(FileConflict) {
        guard content != .checkedByReader else { return }
        guard !place.isStateFile else { throw FileConflict(output: name, path: path, occupant: .stateFolder) }
        // What can only be a folder is not written at all.
        guard place.identity != nil, path.utf8.last != UInt8(ascii: "/") else { return }
        let head = FileSystem.head(of: path, atMost: OutputContent.headSize)
        let isCompressed = path.lowercased().hasSuffix(".gz")
        guard let head, content.mayReplace(head, isCompressed: isCompressed) else {
            throw FileConflict(output: name, path: path, occupant: .otherKind(content.name))
        }
    }

    /// Makes sure that no declared output is an input.
    ///
    /// - Throws: ``FileConflict``.
    package func check() throws(FileConflict) {
        if let conflict = state.withLock(\.conflict) { throw conflict }
    }

    /// Makes sure that a file may be written now; asked before it is begun and again before it takes its place.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - replaceable: as what it may be read and yet be written again.
    ///   - mayReplace: whether a file that is there would be replaced.
    /// - Throws: ``FileConflict``.
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
        // What is there may have come since the output was declared.
        if let output, mayReplace, !output.isWritten {
            try requireKind(of: path, place, for: output.content, named: output.name)
        }
    }

    /// Notes that an output is in its place.
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
    /// As what a place is read.
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
