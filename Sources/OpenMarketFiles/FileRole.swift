/// The role of a file that a command reads; a file may have several.
package struct FileRole: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// A manifest, or a table read as one.
    package static let manifest = FileRole(rawValue: 1)
    /// A picture or a text that a manifest or a saved plan refers to, even if it is not read this time.
    package static let named = FileRole(rawValue: 1 << 1)
    /// A state's database, or a file next to it.
    package static let state = FileRole(rawValue: 1 << 2)
    package static let plan = FileRole(rawValue: 1 << 3)
    /// An export that is compared with another, or its certificate.
    package static let earlierExport = FileRole(rawValue: 1 << 4)
    /// An earlier export at this path, which this export rewrites.
    package static let ownExport = FileRole(rawValue: 1 << 5)
    package static let secret = FileRole(rawValue: 1 << 6)
    /// A kept picture of the market, named by the digest of its bytes.
    package static let keptPicture = FileRole(rawValue: 1 << 7)
    /// Any other file: a table to convert, a mapping, a list of keys.
    static let other = FileRole(rawValue: 1 << 8)

    package static let marketDescription = FileRole(rawValue: 1 << 9)

    /// The role as messages name it.
    var words: String {
        let all: [(FileRole, String)] = [
            (.manifest, "the manifest"), (.state, "the state"), (.plan, "the plan"), (.secret, "a secret's file"),
            (.earlierExport, "the earlier export"), (.named, "a file that the manifest names"),
            (.keptPicture, "a picture that is kept"), (.ownExport, "an export"),
            (.marketDescription, "the description of the market"),
        ]
        return all.first { contains($0.0) }?.1 ?? "a file that is read"
    }
}
