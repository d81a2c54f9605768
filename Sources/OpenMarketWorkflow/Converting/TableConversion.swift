package import OpenMarket
import OpenMarketDescription
import OpenMarketFiles
package import OpenMarketManifest

/// Converts another shop's table into a manifest with its pictures, written atomically.
package struct TableConversion: Sendable {
    package struct Converted: Sendable {
        /// The products in the order of the table.
        package let products: [ManifestProduct]
        /// The parts of the table that were left out.
        package let report: ConversionReport
        package let fetchedCount: Int
        let isRetryUseful: Bool

        package func requireWhole() throws(CommandFailure) {
            guard isRetryUseful else { return }
            throw CommandFailure(
                .partialFailure,
                "not all pictures could be fetched, and the manifest was written without them",
                help: "the same command with --replace fetches the missing pictures"
            )
        }
    }

    /// The largest picture that is fetched, in bytes; no market accepts a larger one.
    package static let pictureByteLimit = ProductLimits.documented.imageByteLimit - 1

    private let table: String
    private let manifest: String?
    private let replaces: Bool
    private let pictures: TablePictures

    /// Prepares a conversion whose manifest goes to a file, or to standard output if `nil`.
    ///
    /// Pictures of the hosts are fetched into the pictures' folder. Throws ``CommandFailure`` if the manifest exists
    /// and must not be replaced, and for a text that is no host.
    package init(
        of table: String,
        to manifest: String?,
        replaces: Bool = false,
        images: String? = nil,
        hosts: [String] = []
    ) throws {
        if let manifest, !replaces, FileSystem.isRegular(manifest) {
            let help = "name another file with --out, or write over it with --replace"
            throw CommandFailure(.refused, "\(manifest) exists; it was not changed", help: help)
        }
        self.table = table
        self.manifest = manifest
        self.replaces = replaces
        let folder = manifest.map(FileSystem.folder) ?? "."
        pictures = try TablePictures(folder: images, hosts: hosts, manifestFolder: folder)
    }

    /// The head of the manifest, with the market if all its settings are given.
    ///
    /// Otherwise a comment below the given line lists the settings to add, because a partial section would conflict
    /// with the complete one. The currency is for prices without one; the limits include those of the products.
    package static func head(
        url: String?,
        _ described: MarketSettings?,
        currency: Currency?,
        for products: [ManifestProduct] = [],
        whereUnnamed comment: String
    ) -> ManifestHead {
        var head = ManifestHead()
        head.profile = described?.profile
        head.descriptionFile = described?.descriptionFile
        head.url = url
        head.sendsKeys = described?.profile?.capabilities.carriesKeys ?? false
        if let currency { head.setDefaultCurrency(currency) }
        for currency in products.compactMap(\.added.values.currency) { head.allow(currency) }
        guard head.url == nil || head.profile == nil else { return head }
        let (url, api) = (
            head.url ?? "https://market.example.org", head.descriptionFile ?? (head.profile ?? .standard).name
        )
        let lines = ["url: \"\(url)\"", "api: \(api)"] + (head.sendsKeys ? ["send_keys: true"] : [])
        let section =
            head.limits == nil ? ["market: {\(lines.joined(separator: ", "))}"] : lines.map { "  " + $0 }
        head.comments = [comment] + section
        head.url = nil
        head.profile = nil
        head.sendsKeys = false
        return head
    }

    /// Converts the table into products and fetches their pictures.
    ///
    /// A `nil` mapping detects a supported shop's table. Currency, description and placeholder picture are for rows
    /// without them. Throws `ConversionError`, `FileConflict`, and `FileError`, also if the placeholder cannot be read.
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
        let needed = profile?.capabilities.fieldsRequiredToCreate ?? []
        var options = TableConverter.Options()
        options.currency = currency
        options.placeholder = placeholder.map(pictures.path)
        options.description = description
        options.today = String(Timestamp.now.iso8601.prefix(10))
        options.limits = (profile ?? .standard).limits
        options.needsStock = needed.contains(.stock)
        options.needsPicture = needed.contains(.images)
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

    /// Writes the manifest, and the addresses of missing pictures, one per line.
    ///
    /// Throws ``CommandFailure`` if no row is a product, `FileError`, and errors of writing.
    package func write(
        _ converted: Converted,
        under head: ManifestHead,
        pictureList: String? = nil,
        standardOutput: ([UInt8]) throws -> Void
    ) throws {
        guard !converted.products.isEmpty else {
            let what = "no row of \(table) is a product; no file was written"
            throw CommandFailure(.invalidInput, what, help: converted.report.helps.first)
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
