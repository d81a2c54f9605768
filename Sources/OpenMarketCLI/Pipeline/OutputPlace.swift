import OpenMarketFiles
import OpenMarketState

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Where outputs go: none takes the place of a file that the command reads, of another output, or of a state.
enum OutputPlace {
    /// Declares an output in the register of files.
    ///
    /// - Parameters:
    ///   - path: where it goes; `nil` where it is not asked for.
    ///   - name: what it is called in messages: the option.
    ///   - replaceable: as what its place may be read and yet be written anew.
    ///   - allowsStdout: whether `-` stands for stdout.
    /// - Throws: ``CommandFailure`` with exit 64.
    static func declare(
        _ path: String?,
        _ name: String,
        replacing replaceable: FileRole = [],
        allowsStdout: Bool = false
    ) throws {
        guard let path, !(path == "-" && allowsStdout) else { return }
        guard path != "-" else { throw CommandFailure(.usage, "\(name) takes the name of a file, and not -") }
        do throws(FileConflict) {
            guard !StateFile.owns(path) else {
                throw FileConflict(output: name, path: path, occupant: .input(.state))
            }
            try FileRegister.current.declare(path, named: name, replacing: replaceable)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Makes sure that no output is an input; asked before anything is sent or written.
    ///
    /// - Throws: ``CommandFailure`` with exit 64.
    static func check() throws {
        do throws(FileConflict) {
            try FileRegister.current.check()
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Makes sure that a file may be written there.
    ///
    /// - Throws: ``CommandFailure`` with exit 64.
    static func requireFree(_ path: String, replacing replaceable: FileRole = []) throws {
        do throws(FileConflict) {
            guard !StateFile.owns(path) else {
                throw FileConflict(output: "writing", path: path, occupant: .input(.state))
            }
            try FileRegister.current.requireFree(path, replacing: replaceable)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Whether two paths lead to one file that exists.
    static func areSame(_ path: String, _ other: String) -> Bool {
        var status = stat()
        var otherStatus = stat()
        return stat(path, &status) == 0 && stat(other, &otherStatus) == 0
            && status.st_dev == otherStatus.st_dev && status.st_ino == otherStatus.st_ino
    }

    /// Whether a path is or would be a file, and no device or pipe.
    static func mayBecomeFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether a file stands there that would be lost; a device or a pipe is none.
    static func isTaken(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}

extension CommandFailure {
    /// An output that would take the place of something else.
    init(_ conflict: FileConflict) {
        self.init(.usage, "\(conflict)", help: "name another file")
    }
}

extension Settings {
    /// The file of an output, as a flag or its variable names it, declared as such.
    ///
    /// - Throws: ``CommandFailure`` with exit 64.
    func output(
        _ flag: String?,
        _ setting: Setting,
        replacing replaceable: FileRole = [],
        allowsStdout: Bool = false
    ) throws -> String? {
        let path = try text(flag, setting)
        try OutputPlace.declare(path, setting.flag, replacing: replaceable, allowsStdout: allowsStdout)
        return path
    }
}
