import Crypto
import OpenMarket
import OpenMarketFiles
import SystemPackage

/// The pictures of a manifest; each file is read and hashed once, however many products show it.
struct PictureCatalog {
    /// A path as written in one manifest file.
    private struct Mention {
        var path: String
        var file: Int
        var outcome: Outcome?
    }

    enum Outcome {
        case picture(Picture)
        case fault(Diagnostic.Code, message: String, help: String?)
    }

    private var mentions: [Mention] = []
    /// Grouped by manifest file, because paths are relative to it.
    private var known: [[ExactText: Int32]] = []
    /// By resolved path, so that two spellings of a path are one file.
    private var checked: [ExactText: Picture] = [:]

    /// The number of a path in a manifest file; equal paths there have the same number.
    mutating func number(of path: String, file: Int) -> Int32 {
        while known.count <= file { known.append([:]) }
        if let number = known[file][path] { return number }
        let number = Int32(truncatingIfNeeded: mentions.count)
        mentions.append(Mention(path: path, file: file))
        known[file][path] = number
        return number
    }

    /// Records the files as inputs, whether or not they are pictures; resolving a path records it.
    func noteFiles(sources: [ManifestSource], options: ManifestOptions) {
        for mention in mentions {
            _ = try? ManifestPath(mention.path, source: sources[mention.file], options: options)
        }
    }

    func numbers(where isMeant: (String) -> Bool) -> Set<Int32> {
        Set(mentions.indices.filter { isMeant(mentions[$0].path) }.map { Int32(truncatingIfNeeded: $0) })
    }

    func path(_ number: Int32) -> String { mentions[Int(number)].path }

    /// Checks the picture with a number, unless it was checked before.
    mutating func check(_ number: Int32, sources: [ManifestSource], limit: Int, options: ManifestOptions) -> Outcome {
        let index = Int(number)
        if let outcome = mentions[index].outcome { return outcome }
        let path = mentions[index].path
        let outcome = look(at: path, source: sources[mentions[index].file], limit: limit, options: options)
        mentions[index].outcome = outcome
        return outcome
    }

    private mutating func look(at path: String, source: ManifestSource, limit: Int, options: ManifestOptions) -> Outcome
    {
        let place: ManifestPath
        do throws(ManifestPath.Refusal) {
            place = try ManifestPath(path, source: source, options: options)
        } catch {
            return .fault(.pictureFile, message: error.message, help: error.help)
        }
        if var picture = checked[place.absolute] {
            picture.path = path
            return .picture(picture)
        }
        guard place.size > 0 else { return .fault(.pictureFile, message: "\(path) is empty", help: nil) }
        guard place.size < limit else {
            return .fault(
                .pictureSize,
                message: "\(path) has \(place.size) bytes, and a picture must be under \(limit)",
                help: "save it smaller, or with more compression"
            )
        }
        let outcome = Self.read(path, at: place, limit: limit)
        if case .picture(let picture) = outcome { checked[place.absolute] = picture }
        return outcome
    }

    private static func read(_ path: String, at place: ManifestPath, limit: Int) -> Outcome {
        var probe = PictureProbe()
        var hash = SHA256()
        var byteCount = 0
        do throws(Errno) {
            try InputFile.forEachChunk(of: place.absolute, as: .named) { chunk in
                byteCount += chunk.count
                probe.consume(chunk)
                chunk.withUnsafeBytes { hash.update(bufferPointer: $0) }
                return probe.format != nil && byteCount < limit
            }
        } catch {
            return .fault(.pictureFile, message: "\(path) cannot be read: \(error)", help: nil)
        }
        guard let format = probe.format else {
            let kind = probe.otherKind
            let help =
                kind?.isPicture == true
                ? "save it as JPEG or PNG in a picture editor" : kind?.help == FileKind.pull ? kind?.help : nil
            let name = kind.map { "\($0.name), " } ?? ""
            return .fault(.pictureFormat, message: "\(path) is \(name)not a JPEG or PNG", help: help)
        }
        guard byteCount < limit else {
            return .fault(
                .pictureSize,
                message: "\(path) grew while it was read; a picture must be under \(limit) bytes",
                help: nil
            )
        }
        guard let size = probe.size, probe.isWhole else {
            return .fault(
                .pictureFormat,
                message: "\(path) is a damaged \(format == .jpeg ? "JPEG" : "PNG"): its end is missing",
                help: "copy the file again, or save it again in a picture editor"
            )
        }
        return .picture(
            Picture(
                path: path,
                file: place.absolute,
                digest: ContentDigest(bytes: hash.finalize()),
                byteCount: byteCount,
                format: format,
                width: size.width,
                height: size.height
            )
        )
    }
}
