import FoundationEssentials
import OpenMarket
import OpenMarketClient
import OpenMarketManifest
import OpenMarketWorkflow
import OpenMarketReview
import Synchronization

/// The pictures that another shop's table names: files of a folder, by the names that addresses end with, and what is
/// fetched into it from the hosts that the user named.
struct TablePictures: Sendable {
    private let folder: String?
    private let names: Set<String>
    private let hosts: [String]
    private let manifestFolder: String
    /// What became of the addresses that were asked for.
    private var fetched: [ExactText: TableConverter.Picture] = [:]
    /// How many were fetched, and not there before.
    private(set) var fetchedCount = 0
    /// Whether another run may get pictures that this one did not.
    private(set) var isRetryUseful = false

    /// So many are fetched in one run: a table is soon written that names more than anybody wants.
    private static let most = 10_000

    /// - Parameters:
    ///   - folder: where the pictures are.
    ///   - hosts: whose pictures are fetched; none by default.
    ///   - manifestFolder: where the manifest will be.
    /// - Throws: ``CommandFailure`` where hosts are not named as such, or without a folder.
    init(folder: String?, hosts: [String], manifestFolder: String) throws {
        for host in hosts {
            do {
                _ = try MarketURL.host(host)
            } catch {
                throw CommandFailure(
                    .usage,
                    "\(Setting.fetchFrom.flag): '\(host.terminalSafe)' \(error.message)",
                    help: error.help
                )
            }
        }
        guard hosts.isEmpty || folder != nil else {
            throw CommandFailure(
                .usage,
                "\(Setting.fetchFrom.flag) needs \(Setting.images.flag), the folder to keep the pictures in"
            )
        }
        self.folder = folder
        self.hosts = hosts
        self.manifestFolder = manifestFolder
        guard let folder else {
            names = []
            return
        }
        // What was fetched is known by its whole address: pictures of two addresses may have one name.
        names =
            hosts.isEmpty
            ? Set((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? [])
            : PictureLibrary.ownNames(in: folder)
    }

    // MARK: In the manifest

    /// What the manifest has of a picture, by its address or name.
    ///
    /// The address itself stands for a picture that is still to be fetched: see ``wanted(by:)``.
    @Sendable func picture(_ address: String) -> TableConverter.Picture {
        guard let folder else { return .unknown }
        if let name = Self.fileNames(of: address).first(where: names.contains) {
            return .file(path("\(folder)/\(name)"))
        }
        guard !hosts.isEmpty, Self.isAddress(address) else { return .unknown }
        return fetched[ExactText(address)] ?? .file(address)
    }

    /// The addresses among the pictures of some products, which are still to be fetched.
    func wanted(by products: [ManifestProduct]) -> [String] {
        guard !hosts.isEmpty else { return [] }
        var seen: Set<ExactText> = []
        return products.flatMap { $0.images ?? [] }.filter { Self.isAddress($0) && seen.insert(ExactText($0)).inserted }
    }

    /// A path as the manifest writes it: from the manifest's own folder on.
    func path(_ path: String) -> String {
        func parts(_ path: String) -> [String] {
            URL(fileURLWithPath: path).standardized.path.split(separator: "/").map(String.init)
        }
        let (target, folder) = (parts(path), parts(manifestFolder))
        let common = zip(target, folder).prefix { $0 == $1 }.count
        guard common == folder.count || !path.hasPrefix("/") else { return path }
        return (folder.dropFirst(common).map { _ in ".." } + target.dropFirst(common)).joined(separator: "/")
    }

    // MARK: Fetching

    /// Fetches pictures, several at once.
    ///
    /// - Throws: ``CommandFailure`` where they cannot be kept.
    mutating func fetch(_ addresses: [String]) async throws {
        guard let folder else { return }
        let library = try PictureLibrary(folder)
        let known = fetched.count
        for address in addresses.dropFirst(max(0, Self.most - known)) {
            fetched[ExactText(address)] = .missing("more than \(Self.most) in one run")
            isRetryUseful = true
        }
        let configuration = ClientConfiguration.pictures(
            from: hosts,
            byteLimit: ProductLimits(wholePrices: false).imageByteLimit - 1,
            userAgent: "openmarket/\(toolVersion)"
        )
        var results: [ExactText: Result<PictureLibrary.Stored, Trouble>] = [:]
        try await withMarketClient(configuration) { client in
            let fetching = TablePictureFetching(library: library, client: client)
            try await forEachConcurrently(
                addresses.prefix(max(0, Self.most - known)),
                width: configuration.parallelism
            ) { address in
                try await fetching.picture(at: address)
            } collect: { address, result in
                results[ExactText(address)] = result
            }
        }
        // In the order of the table, and not of the replies: which of two pictures gets a name must not be chance.
        for address in addresses {
            switch results[ExactText(address)] {
            case nil: break
            case .failure(let trouble):
                fetched[ExactText(address)] = .missing(trouble.reason)
                if trouble.mayPass { isRetryUseful = true }
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

    /// Why a picture is not there.
    fileprivate typealias Trouble = LiveProductWriter.PictureTrouble

    // MARK: Addresses

    fileprivate static func isAddress(_ text: String) -> Bool {
        let start = text.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// What the file of a picture may be called: as in its address, or as `wget` calls it, which keeps the query.
    private static func fileNames(of address: String) -> [String] {
        let whole = address.prefix { $0 != "?" && $0 != "#" }
        let last = lastComponent(of: address)
        let relative = String(whole.drop { $0 == "/" || $0 == "." })
        var names = [relative, decoded(last), last]
        let query = address.dropFirst(whole.count).prefix { $0 != "#" }
        guard isAddress(address), query.count > 1 else { return names }
        // `wget` writes a slash as %2F, and for Windows an @ in the place of the question mark.
        let escaped = query.split(separator: "/", omittingEmptySubsequences: false).joined(separator: "%2F")
        for name in [decoded(last), last] {
            for query in [String(query), escaped, decoded(String(query))] {
                names += [name + query, name + "@" + query.dropFirst()]
            }
        }
        return names
    }

    private static func lastComponent(of address: String) -> String {
        address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").last.map(String.init) ?? ""
    }

    /// What a fetched picture is called: as in its address, without the ending.
    private static func stem(of address: String) -> String {
        let name = decoded(lastComponent(of: address))
        let slug = KeyMaker.slug(name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name)
        return slug.isEmpty ? "picture" : slug
    }

    /// A name as a file has it: with the characters that `%20` and the like mean.
    private static func decoded(_ name: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let meant = UInt8(digits, radix: 16) {
                bytes.append(meant)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Fetches pictures of several hosts, and asks none in vain for long.
private final class TablePictureFetching: Sendable {
    private let library: PictureLibrary
    private let client: MarketClient
    /// How often in a row a host did not answer.
    private let silences = Mutex<[String: Int]>([:])

    /// After so many a host is not asked any more: each takes three attempts.
    private static let patience = 3

    init(library: PictureLibrary, client: MarketClient) {
        self.library = library
        self.client = client
    }

    /// The picture of an address, or why there is none.
    ///
    /// - Throws: ``CommandFailure`` where it cannot be kept.
    func picture(at address: String) async throws -> Result<PictureLibrary.Stored, TablePictures.Trouble> {
        let host = String(address.split(separator: "/", maxSplits: 2).dropFirst().first ?? "").lowercased()
        guard silences.withLock({ $0[host, default: 0] }) < Self.patience else {
            return .failure(.init("\(host) does not answer", mayPass: true))
        }
        do {
            let stored = try await library.picture(known: address) {
                let picture = try await client.picture(at: address)
                silences.withLock { $0[host] = 0 }
                return picture
            }
            return .success(stored)
        } catch let error as MarketError {
            let isSilent = error.code == .unreachable
            silences.withLock { $0[host] = isSilent ? $0[host, default: 0] + 1 : 0 }
            return .failure(.init(Self.reason(error), mayPass: isSilent))
        }
    }

    /// Few reasons for many pictures: without what is each one's own.
    private static func reason(_ error: MarketError) -> String {
        switch (error.code, error.status) {
        case (.foreignHost, _): "on hosts that \(Setting.fetchFrom.flag) does not name"
        case (_, 404?), (_, 410?): "no longer at their addresses"
        case (_, .some(300..<400)): "moved: redirects are not followed"
        default: error.message
        }
    }
}
