import OpenMarket

extension TableConverter {
    /// The addresses and file names of all pictures in the table.
    package var pictureNames: [String] {
        rows.flatMap { row in [mapping.images, mapping.variantImages].flatMap { pictureNames($0, row) } }
    }

    func pictureNames(_ template: ConversionMapping.Template?, _ row: Row) -> [String] {
        let text = value(template, row)
        let separator = mapping.imageSeparator
        let parts = separator.isEmpty ? [text[...]] : text.split(separator: separator)
        return parts.map { String($0).trimmed }.filter { !$0.isEmpty }
            .map { $0.hasPrefix("//") ? "https:" + $0 : $0 }
    }

    /// The pictures of the rows of one product and its variants, looked up once for all of them.
    struct GroupPictures {
        /// The pictures of the product as a whole.
        var common: [String]
        /// The pictures of single variants.
        var own: Set<String>
        /// The paths of ``common``, after the first request for them.
        var commonPaths: [String]?
        /// The paths of ``own``, after the first request for them.
        var ownPaths: [String]?

        init(common: [String], own: [String]) {
            self.own = Set(own)
            var seen = self.own
            self.common = common.filter { seen.insert($0).inserted }
        }
    }

    /// The paths of existing pictures, each once.
    mutating func paths(of names: some Sequence<String>) -> [String] {
        var seen: Set<String> = []
        return names.compactMap { name in
            switch options.picture(name) {
            case .file(let path): return seen.insert(path).inserted ? path : nil
            case .missing(let reason):
                report.miss(name, because: reason)
                return nil
            }
        }
    }

    /// A variant's own picture first, then its row's, then its product's, without those of other variants.
    mutating func images(
        _ row: Row,
        _ parent: Row?,
        _ pictures: inout GroupPictures,
        _ key: String
    ) -> [String]? {
        let own = pictureNames(mapping.variantImages, row)
        let ofRow = pictureNames(mapping.images, row).filter { !pictures.own.contains($0) }
        let common = pictures.commonPaths ?? paths(of: pictures.common)
        pictures.commonPaths = common
        let ofParent = parent.map { pictureNames(mapping.images, $0).filter { !pictures.own.contains($0) } } ?? []
        let most = options.limits.imageCount.upperBound
        var images: [String] = []
        func take(_ paths: [String]) {
            for path in paths where !images.contains(path) {
                guard images.count <= most else { return }
                images.append(path)
            }
        }
        take(paths(of: own + ofRow))
        take(common)
        take(paths(of: ofParent))
        if images.isEmpty {
            // For a variant without its own picture, another variant's is better than none.
            let others = pictures.ownPaths ?? paths(of: pictures.own.sorted())
            pictures.ownPaths = others
            take(others)
        }
        if images.count > most {
            report.change(key, "more than \(most) pictures")
            images.removeLast(images.count - most)
        }
        guard images.isEmpty else { return images }
        guard let placeholder = options.placeholder else {
            report.change(key, "no picture" + (options.needsPicture ? ": the market requires one" : ""))
            return nil
        }
        report.change(key, "the placeholder instead of a picture")
        return [placeholder]
    }
}
