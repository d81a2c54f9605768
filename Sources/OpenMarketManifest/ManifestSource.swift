import Crypto
import OpenMarket
import OpenMarketDescription
import OpenMarketFiles
import SystemPackage
import YAML

/// A manifest file during and after decoding.
///
/// Regular files are read again for the few lines that diagnostics show; input that can be read only once is kept.
final class ManifestSource {
    /// The name as the user gave it; `<stdin>` for standard input.
    let name: String
    /// The folder that relative paths start from.
    let folder: String
    /// The folder with symbolic links resolved.
    let resolvedFolder: String
    /// The folder that paths must not leave, if the file is included: that of the named manifest.
    var fence: String?
    /// The absolute path of the file, for finding a secret again.
    let absolutePath: String

    /// The names of a table's columns; `nil` if the file is not a table.
    ///
    /// Positions in a table are rows and columns, without code frames.
    var header: [String]?
    var isDescription = false
    /// The file's size in bytes when it was opened; `nil` if unknown.
    let size: Int?
    /// The path of a file that can be read again.
    private var rereadPath: String? { size == nil ? nil : name }
    /// The bytes of a source that cannot be read again.
    private var kept: [UInt8] = []

    /// A file on disk, or a named pipe, which is without a size and cannot be read again.
    init(path: String, size: Int?) {
        name = path
        // A pipe created by the shell is in no folder of the user.
        folder = size == nil ? "." : FileSystem.folder(of: path)
        resolvedFolder = FileSystem.resolved(folder) ?? folder
        absolutePath = FileSystem.path(of: FileSystem.name(of: path), in: resolvedFolder)
        self.size = size
    }

    /// Input from a function: standard input, or a test.
    init(name: String, folder: String) {
        self.name = name
        self.folder = folder
        resolvedFolder = FileSystem.resolved(folder) ?? folder
        absolutePath = name
        size = nil
    }

    /// A path that the file names, relative to the working directory.
    func path(_ text: String) -> String {
        folder == "." || text.utf8.first == UInt8(ascii: "/") ? text : FileSystem.path(of: text, in: folder)
    }

    /// Stores bytes that cannot be read again.
    func keep(_ chunks: [[UInt8]]) {
        guard rereadPath == nil else { return }
        for chunk in chunks { kept += chunk }
    }

    /// Reads the bytes again, as far as they were read before.
    func reread(_ body: ([UInt8]) -> Bool) {
        if let rereadPath {
            // A file deleted meanwhile is shown without code frames.
            try? InputFile.forEachChunk(of: rereadPath, as: .manifest, body)
        } else {
            _ = body(kept)
        }
    }
}

extension ManifestSource {
    private var certificate: ExportCertificate? {
        rereadPath.flatMap { ExportCertificate(of: $0, as: .earlierExport) }
    }

    /// The exported market according to the certificate next to the file.
    var export: ExportedTable? {
        certificate?.market.map { ExportedTable(file: name, market: $0, profile: MarketProfile(name: $0.name)) }
    }

    /// Whether the file, perhaps without its final line break, is the export; `nil` without a certificate.
    var isWholeExport: Bool? {
        guard let certificate else { return nil }
        var content = SHA256()
        reread { chunk in
            chunk.withUnsafeBytes { content.update(bufferPointer: $0) }
            return true
        }
        return ["\r\n", "\n", ""].contains { end in
            var content = content
            content.update(data: Array(end.utf8))
            return ContentDigest(bytes: content.finalize()) == certificate.digest
        }
    }
}

/// The source of a manifest's bytes, chunk by chunk.
final class ManifestInput {
    private var origin: Origin
    private var chunks: [[UInt8]] = []
    private(set) var bytesRead = 0

    enum Origin: Sendable {
        /// A file or a named pipe, which is closed at the end.
        case file(FileDescriptor)
        case standardInput
        case bytes([UInt8])
    }

    init(_ origin: Origin) { self.origin = origin }

    deinit { if case .file(let file) = origin { try? file.close() } }

    private func fetch() throws(Errno) -> [UInt8] {
        switch origin {
        case .file(let file): return try file.readChunk()
        case .standardInput: return try FileDescriptor.standardInput.readChunk()
        case .bytes(let bytes):
            origin = .bytes([])
            return bytes
        }
    }

    /// The next bytes; empty at the end.
    func nextChunk() throws(YAMLError) -> [UInt8] {
        let chunk: [UInt8]
        do {
            chunk = try fetch()
        } catch {
            throw YAMLError(.input, "cannot read: \(error)")
        }
        if bytesRead == 0, let kind = FileKind(head: chunk) {
            throw YAMLError(.encoding, "this is \(kind.name), and no text", help: kind.help)
        }
        chunks.append(chunk)
        bytesRead += chunk.count
        return chunk
    }

    func takeChunks() -> [[UInt8]] {
        defer { chunks = [] }
        return chunks
    }
}
