import Crypto
import OpenMarket
import SystemPackage
import YAML

/// A manifest file while and after it is read.
///
/// Regular files are read again for the few lines that diagnostics show; what can be read only once is kept.
final class ManifestSource {
    /// As the user named it; `<stdin>` for standard input.
    let name: String
    /// The folder that relative paths start from.
    let folder: String
    /// The same without symbolic links: what paths must not leave.
    let resolvedFolder: String
    /// Where the file is, for finding a secret again.
    let absolutePath: String

    /// The bytes that the file had when it was opened, where that is known.
    let size: Int?
    /// The bytes read so far.
    private(set) var bytesRead = 0

    private var file: FileDescriptor?
    private let fetch: (() throws -> [UInt8])?
    /// The bytes so far, of a source that cannot be read again.
    private var kept: [UInt8]?
    private let rereadPath: String?

    /// A file on disk, or a pipe with a name, which has no size and cannot be read again.
    init(path: String, size: Int?) throws(Errno) {
        name = path
        // What the shell hands over as a pipe lies in no folder of the user's.
        folder = size == nil ? "." : FileAccess.folder(of: path)
        resolvedFolder = FileAccess.resolved(folder) ?? folder
        absolutePath =
            resolvedFolder + (resolvedFolder.hasSuffix("/") ? "" : "/") + FileAccess.name(of: path)
        fetch = nil
        self.size = size
        rereadPath = size == nil ? nil : path
        kept = size == nil ? [] : nil
        do {
            file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Bytes that come from a function: standard input, or a test.
    init(name: String, folder: String, fetch: @escaping () throws -> [UInt8]) {
        self.name = name
        self.folder = folder
        resolvedFolder = FileAccess.resolved(folder) ?? folder
        absolutePath = name
        size = nil
        self.fetch = fetch
        rereadPath = nil
        kept = []
    }

    deinit {
        close()
    }

    /// The next bytes; none at the end.
    func nextChunk() throws(YAMLError) -> [UInt8] {
        do {
            let chunk = try fetch?() ?? file.map { try FileAccess.readChunk($0) } ?? []
            kept?.append(contentsOf: chunk)
            bytesRead += chunk.count
            return chunk
        } catch {
            throw YAMLError(.input, "cannot read: \(error)")
        }
    }

    /// Gives the file descriptor back.
    func close() {
        try? file?.close()
        file = nil
    }

    /// The bytes once more, as far as they were read.
    func reread(_ body: ([UInt8]) -> Bool) {
        if let kept {
            _ = body(kept)
        } else if let rereadPath {
            // A file that went away meanwhile has no code frames.
            try? FileAccess.forEachChunk(of: rereadPath, body)
        }
    }
}
