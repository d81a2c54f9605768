package import OpenMarket
import OpenMarketDescription
import OpenMarketFiles
package import OpenMarketManifest

/// Makes a manifest of another shop's table, with its pictures; written whole or not at all.
package struct TableConversion: Sendable {
    /// Why nothing is written, or not all.
    package enum Fault: Error, Hashable, Sendable, CustomStringConvertible {
        /// There is a manifest, and it is not to be replaced.
        case manifestExists(String)
        /// No row makes a product, for want of this among others.
        case noProducts(table: String, lacks: [ConversionReport.Lack])
        /// The manifest was written without pictures that another run may get.
        case picturesMissing

        package var description: String {
            switch self {
            case .manifestExists(let path): "\(path) exists; it was not changed"
            case .noProducts(let table, _): "no row of \(table) makes a product; nothing was written"
            case .picturesMissing: "not all pictures could be fetched, and the manifest was written without them"
            }
        }
    }

    /// What became of a table.
    package struct Converted: Sendable {
        /// The products, in the order of the table.
        let products: [ManifestProduct]
        /// What was left out.
        package let report: ConversionReport
        /// How many pictures were fetched, and not there before.
        package let fetchedCount: Int
        /// Whether another run may get pictures that this one did not.
        let isRetryUseful: Bool

        /// Makes sure that it has all pictures that there are.
        ///
        /// - Throws: ``Fault/picturesMissing``.
        package func requireWhole() throws(Fault) {
            guard !isRetryUseful else { throw .picturesMissing }
        }
    }

    /// The largest picture that is fetched: a larger one is taken by no market.
    package static let pictureByteLimit = ProductLimits().imageByteLimit - 1

    private let table: String
    private let manifest: String?
    private let replaces: Bool
    private let pictures: TablePictures

    /// - Parameters:
    ///   - table: the table's file.
    ///   - manifest: the manifest to write; `nil` where it goes to standard output.
    ///   - replaces: whether a manifest that exists is written over.
    ///   - images: the folder of the pictures.
    ///   - hosts: whose pictures are fetched into it.
    /// - Throws: ``Fault/manifestExists(_:)``, and ``TablePictures/Fault``.
    package init(
        of table: String,
        to manifest: String?,
        replaces: Bool = false,
        images: String? = nil,
        hosts: [String] = []
    ) throws {
        if let manifest, !replaces, FileSystem.isRegular(manifest) { throw Fault.manifestExists(manifest) }
        self.table = table
        self.manifest = manifest
        self.replaces = replaces
        let folder = manifest.map(FileSystem.folder) ?? "."
        pictures = try TablePictures(folder: images, hosts: hosts, manifestFolder: folder)
    }

    /// What is above the products: the market as far as it is known, else in a comment what is to be filled in.
    ///
    /// Half a section would be in the way of the whole one, so that a market that is not known in whole is in the comment.
    ///
    /// - Parameters:
    ///   - url: the market's URL, if it is known.
    ///   - described: what is known of the market's API.
    ///   - currency: what prices without a currency are in.
    ///   - comment: the line above what is to be filled in.
    /// - Returns: the head.
    package static func head(
        url: String?,
        _ described: MarketSettings?,
        currency: Currency?,
        whereUnnamed comment: String
    ) -> ManifestHead {
        var head = ManifestHead()
        head.profile = described?.profile
        head.descriptionFile = described?.descriptionFile
        head.url = url
        if let currency { head.setDefaultCurrency(currency) }
        guard head.url == nil || head.profile == nil else { return head }
        let (url, api) = (head.url ?? "https://market.example.org", head.descriptionFile ?? (head.profile ?? .v2b).name)
        let section =
            head.limits == nil ? ["market: {url: \"\(url)\", api: \(api)}"] : ["  url: \"\(url)\"", "  api: \(api)"]
        head.comments = [comment] + section
        head.url = nil
        head.profile = nil
        return head
    }

    /// Makes products of the table, and fetches their pictures.
    ///
    /// - Parameters:
    ///   - mapping: what the columns mean; `nil` finds out whether it is a known shop's table.
    ///   - profile: the market that the products are for, as far as it is known.
    ///   - currency: what prices without a currency are in.
    ///   - description: the description of products without one.
    ///   - placeholder: the file of a picture for products that have none.
    ///   - hosts: where pictures are fetched.
    /// - Returns: the products, and what was left out.
    /// - Throws: `ConversionError`, `FileError`, also where the placeholder cannot be read, and `FileConflict`.
    package func convert(
        mapping: ConversionMapping?,
        for profile: MarketProfile? = nil,
        currency: Currency? = nil,
        description: String? = nil,
        placeholder: String? = nil,
        over hosts: some MarketConnection
    ) async throws -> Converted {
        if let placeholder { _ = try InputFile.digest(of: placeholder, as: .named) }
        var pictures = pictures
        let options = TableConverter.Options(
            currency: currency,
            placeholder: placeholder.map(pictures.path),
            description: description,
            today: String(Timestamp.now.iso8601.prefix(10)),
            limits: (profile ?? .v2b).limits,
            needsStock: profile?.capabilities.fieldsRequiredToCreate.contains(.stock) ?? false
        )
        let (products, report) = try await hosts.open { market in
            try await pictures.convert(
                table,
                mapping: mapping,
                options: options,
                to: manifest,
                width: hosts.parallelism
            ) { try await market.picture(at: $0) }
        }
        return Converted(
            products: products,
            report: report,
            fetchedCount: pictures.fetchedCount,
            isRetryUseful: pictures.isRetryUseful
        )
    }

    /// Writes the manifest, and the addresses of the pictures that are not there.
    ///
    /// - Parameters:
    ///   - converted: what became of the table.
    ///   - head: what is above the products.
    ///   - pictureList: where the addresses go, one a line; `nil` for nowhere.
    ///   - standardOutput: takes the manifest where it goes there.
    /// - Throws: ``Fault/noProducts(table:lacks:)``, `FileError`, and what writing throws.
    package func write(
        _ converted: Converted,
        under head: ManifestHead,
        pictureList: String? = nil,
        standardOutput: ([UInt8]) throws -> Void
    ) throws {
        guard !converted.products.isEmpty else {
            throw Fault.noProducts(table: table, lacks: converted.report.lacks)
        }
        var writer = ManifestWriter(head)
        for product in converted.products { writer.append(product) }
        writer.finish()
        let bytes = try writer.takeBytes()
        if let manifest {
            try AtomicFile.write(bytes, to: manifest, permissions: AtomicFile.readableByAll, replaces: replaces)
        } else {
            try standardOutput(bytes)
        }
        guard let pictureList else { return }
        let addresses = converted.report.missingPictures.map { $0 + "\n" }.joined()
        try AtomicFile.write(Array(addresses.utf8), to: pictureList)
    }
}
