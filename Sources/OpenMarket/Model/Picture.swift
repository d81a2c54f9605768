/// A picture file of the manifest, checked and hashed.
package struct Picture: Hashable, Sendable {
    /// The path as the manifest writes it, for messages and plans.
    package var path: String

    /// Where the file is: absolute, symbolic links resolved.
    package var file: String

    /// The SHA-256 of the bytes: the picture's identity.
    ///
    /// A renamed file is the same picture.
    package var digest: ContentDigest

    /// The size in bytes.
    package var byteCount: Int

    /// JPEG or PNG, by its bytes.
    package var format: PictureFormat

    /// Width in pixels, as the file's header says.
    package var width: Int

    /// Height in pixels, as the file's header says.
    package var height: Int

    /// Where the bytes are served, for a market that fetches pictures itself; `nil` where the manifest does not say.
    package var address: String?

    /// Describes a checked picture.
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

    /// The name sent to the market: the file's own, its extension made to fit the bytes.
    ///
    /// The market keeps exactly the extension it is sent, and a name without one gives a stored URL without one
    /// (docs/profiles.md, "What you notice").
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
