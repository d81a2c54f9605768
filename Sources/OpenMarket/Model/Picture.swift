/// A picture file of the manifest, checked and hashed.
package struct Picture: Hashable, Sendable {
    /// The path in the manifest, for messages and plans.
    package var path: String

    /// The absolute path, with symbolic links resolved.
    package var file: String

    /// The SHA-256 of the bytes: the picture's identity, whatever the file's name.
    package var digest: ContentDigest

    package var byteCount: Int

    /// Detected from the bytes.
    package var format: PictureFormat

    /// In pixels, from the file's header.
    package var width: Int

    /// In pixels, from the file's header.
    package var height: Int

    /// The URL of the bytes, for a market that fetches pictures itself; `nil` if it is not in the manifest.
    package var address: String?

    package init(
        path: String,
        file: String,
        digest: ContentDigest,
        byteCount: Int,
        format: PictureFormat,
        width: Int,
        height: Int,
        address: String? = nil
    ) {
        self.path = path
        self.file = file
        self.digest = digest
        self.byteCount = byteCount
        self.format = format
        self.width = width
        self.height = height
        self.address = address
    }

    /// Compares paths by their bytes: a folder may hold two files whose names look the same.
    package static func == (left: Picture, right: Picture) -> Bool {
        left.digest == right.digest && left.path.isExactly(right.path) && left.file.isExactly(right.file)
            && left.byteCount == right.byteCount && left.format == right.format && left.width == right.width
            && left.height == right.height && left.address.isExactly(right.address)
    }

    /// The file's name for the market, with an extension that fits the bytes.
    ///
    /// The market keeps the extension that it is sent, and a name without one gives a stored URL without one
    /// (docs/reference/open-market-versions.md, "Differences").
    package var uploadName: String {
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap(String.init) ?? path
        let dot = name.lastIndex(of: ".")
        let stem = dot.map { String(name[..<$0]) } ?? name
        let ending = dot.map { name[name.index(after: $0)...].lowercased() } ?? ""
        let fits =
            switch format {
            case .jpeg: ending == "jpg" || ending == "jpeg"
            case .png: ending == "png"
            }
        if stem.isEmpty { return "picture." + format.fileExtension }
        return fits ? name : stem + "." + format.fileExtension
    }
}
