import FoundationEssentials
import OpenMarket
import OpenMarketFiles
import OpenMarketManifest

/// The pictures that another shop's table names.
///
/// Files of a folder are found by the last parts of addresses; others are fetched into it from the hosts that the user
/// named. If several addresses share a file name, its owner is unknown, and no address gets the file.
package struct TablePictures: Sendable {
    private let folder: String?
    /// The folder's own files, and the links to fetched pictures.
    private let names: (own: Set<String>, linked: Set<String>)
    private let hosts: [String]
    private let manifestFolder: String
    /// The file names that several addresses share.
    private var sharedNames: Set<String> = []
    /// The results by requested address.
    private var fetched: [ExactText: TableConverter.Picture] = [:]
    private(set) var fetchedCount = 0
    /// Whether another run may get missing pictures.
    private(set) var isRetryUseful = false

    /// `folder` has the pictures, and receives those that are fetched from `hosts`.
    ///
    /// `manifestFolder` is the base of the manifest's paths.
    init(folder: String?, hosts: [String] = [], manifestFolder: String) throws(CommandFailure) {
        for host in hosts {
            do {
                _ = try MarketURL.host(host)
            } catch {
                throw CommandFailure(.usage, "--fetch-from: '\(host)' \(error.message)", help: error.help)
            }
        }
        guard hosts.isEmpty || folder != nil else {
            throw CommandFailure(.usage, "--fetch-from needs --images, the folder to keep the pictures in")
        }
        self.folder = folder
        self.hosts = hosts
        self.manifestFolder = manifestFolder
        guard let folder else {
            names = ([], [])
            return
        }
        PictureLibrary.note(folder)
        names = PictureLibrary.names(in: folder)
    }

    /// Converts a table and fetches missing pictures, until each is present or confirmed as missing.
    ///
    /// A `nil` mapping detects a supported shop's table, and a `nil` manifest is standard output. `width` is the number
    /// of concurrent fetches. Throws `ConversionError` and `FileError`. If an output would replace a picture or the
    /// table, throws `FileConflict` before anything is fetched.
    mutating func convert(
        _ table: String,
        mapping: ConversionMapping?,
        options: TableConverter.Options,
        to manifest: String?,
        width: Int,
        by get: @escaping @Sendable (String) async throws -> FetchedPicture
    ) async throws -> (products: [ManifestProduct], report: ConversionReport) {
        var converter = try TableConverter(InputFile.bytes(of: table), mapping: mapping, name: table, options: options)
        sharedNames = sharedNames(of: converter.pictureNames)
        func converted(_ pictures: Self) -> (products: [ManifestProduct], report: ConversionReport) {
            converter.options.picture = { pictures.picture($0) }
            return converter.converted()
        }
        /// Checks that no output would replace a picture that the manifest names.
        func check(_ pictures: [String]) throws {
            guard FileRegister.current.hasOutputs else { return }
            let folder = manifest.map { FileSystem.prefix(of: $0) } ?? ""
            for picture in pictures {
                FileRegister.current.note(picture.hasPrefix("/") ? picture : folder + picture, as: .named)
            }
            try FileRegister.current.check()
        }
        var result = converted(self)
        try check([options.placeholder].compactMap(\.self) + result.products.flatMap { $0.added.images ?? [] })
        // A product that lacks one of its pictures may use another one instead.
        while case let wanted = wanted(by: result.products), !wanted.isEmpty {
            try await fetch(wanted, width: width, by: get)
            result = converted(self)
        }
        try check(result.products.flatMap { $0.added.images ?? [] })
        return result
    }

    // MARK: Manifest values

    /// The manifest's value for a picture, by its address or name.
    ///
    /// It is the address itself if the picture is still to be fetched: see ``wanted(by:)``.
    private func picture(_ address: String) -> TableConverter.Picture {
        guard let folder else { return .unknown }
        let found = files(for: address)
        if let name = found.own ?? found.possible.first(where: { !sharedNames.contains($0) }) {
            return .file(path("\(folder)/\(name)"))
        }
        let missing = found.possible.isEmpty ? TableConverter.Picture.unknown : .missing(Self.shared)
        guard Self.isAddress(address) else { return missing }
        guard hosts.isEmpty else { return fetched[ExactText(address)] ?? .file(address) }
        let kept = PictureLibrary.linkedName(of: address, as: Self.stem(of: address), in: folder)
        return kept.map { .file(path("\(folder)/\($0)")) } ?? missing
    }

    /// The file at a relative path, or those with a name that the address may have.
    private func files(for address: String) -> (own: String?, possible: [String]) {
        // The whole address identifies a fetched picture, because two addresses may share a file name.
        let isAddress = Self.isAddress(address)
        func isThere(_ name: String) -> Bool { names.own.contains(name) || !isAddress && names.linked.contains(name) }
        let relative = String(address.prefix { $0 != "?" && $0 != "#" }.drop { $0 == "/" || $0 == "." })
        if !isAddress, isThere(relative) { return (relative, []) }
        return (nil, Self.fileNames(of: address).filter(isThere))
    }

    /// The reason for leaving out a picture whose file may belong to another address.
    private static let shared = "there under names that several addresses end with, and not as HOST/PATH"

    /// The names of files that several addresses may mean; those over http and https are of the same picture.
    private func sharedNames(of addresses: [String]) -> Set<String> {
        var places: [String: Set<ExactText>] = [:]
        for address in addresses {
            let place = Self.isAddress(address) ? address.drop { $0 != "/" } : address[...]
            for name in files(for: address).possible { places[name, default: []].insert(ExactText(String(place))) }
        }
        return Set(places.lazy.filter { $0.value.count > 1 }.map(\.key))
    }

    /// The addresses among the products' pictures that are still to be fetched.
    private func wanted(by products: [ManifestProduct]) -> [String] {
        guard !hosts.isEmpty else { return [] }
        var seen: Set<ExactText> = []
        return products.flatMap { $0.added.images ?? [] }.filter {
            Self.isAddress($0) && seen.insert(ExactText($0)).inserted
        }
    }

    /// A path as in the manifest: relative to the manifest's folder.
    func path(_ path: String) -> String {
        // A picture that is a symbolic link keeps the name of the link.
        let place = FileSystem.absolute(FileSystem.folder(of: path))
        let target = FileSystem.path(of: FileSystem.name(of: path), in: place)
        let folder = FileSystem.absolute(manifestFolder)
        guard !path.hasPrefix("/") || FileSystem.contains(folder: folder, path: target) else { return path }
        return DocumentPaths(folder: folder).relative(target, always: true)
    }

    // MARK: Fetching

    private mutating func fetch(
        _ addresses: [String],
        width: Int,
        by get: @escaping @Sendable (String) async throws -> FetchedPicture
    ) async throws {
        guard let folder else { return }
        let library = try PictureLibrary(folder)
        var results: [ExactText: Result<PictureLibrary.Stored, MarketError>] = [:]
        try await forEachConcurrently(addresses, width: width) {
            address -> Result<PictureLibrary.Stored, MarketError> in
            do {
                return .success(try await library.picture(known: address) { try await get(address) })
            } catch let error as MarketError {
                return .failure(error)
            }
        } collect: { address, result in
            results[ExactText(address)] = result
        }
        // Names are given in the order of the table; in the order of replies, chance would decide.
        for address in addresses {
            switch results[ExactText(address)] {
            case nil: break
            case .failure(let error):
                fetched[ExactText(address)] = .missing(Self.reason(error))
                if error.code == .unreachable { isRetryUseful = true }
            case .success(let stored):
                if let fault = stored.fault {
                    fetched[ExactText(address)] = .missing(fault)
                } else {
                    if stored.isNew { fetchedCount += 1 }
                    let name = try library.link(stored, as: Self.stem(of: address))
                    fetched[ExactText(address)] = .file(path("\(folder)/\(name)"))
                }
            }
        }
    }

    /// An error's reason without details of the single picture, so that many pictures share few reasons.
    private static func reason(_ error: MarketError) -> String {
        switch (error.code, error.status) {
        case (.foreignHost, _): "on hosts that pictures are not fetched from"
        case (_, 404?), (_, 410?): "no longer at their addresses"
        case (_, .some(300..<400)): "moved: redirects are not followed"
        default: error.message
        }
    }

    // MARK: Addresses

    private static func isAddress(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// The possible file names of a picture.
    ///
    /// A name is host and path, as `wget -x` saves it, or the last part of the path. Each is also tried with the query,
    /// which `wget` keeps.
    private static func fileNames(of address: String) -> [String] {
        let whole = address.prefix { $0 != "?" && $0 != "#" }
        let query = isAddress(address) ? address.dropFirst(whole.count).prefix { $0 != "#" } : ""
        var ends = [lastComponent(of: address)]
        let parts = whole.split(separator: "/", maxSplits: 2)
        if isAddress(address), parts.count == 3, let host = parts[1].split(separator: "@").last?.lowercased() {
            ends.insert(host + "/" + parts[2], at: 0)
        }
        return ends.flatMap { end -> [String] in
            let names = [end.percentDecoded, end]
            return query.count > 1 ? names + names.flatMap { [$0 + query, $0 + query.percentDecoded] } : names
        }
    }

    private static func lastComponent(of address: String) -> String {
        address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last.map(String.init) ?? ""
    }

    /// The name for a fetched picture: the one in its address, without the extension.
    private static func stem(of address: String) -> String {
        let name = lastComponent(of: address).percentDecoded
        let slug = KeyMaker.slug(name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name)
        return slug.isEmpty ? "picture" : slug
    }
}
