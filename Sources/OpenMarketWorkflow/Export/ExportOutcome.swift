package struct ExportOutcome: Sendable {
    package var certificate: ExportCertificate
    /// How many products a manifest leaves out because they are other vendors'.
    var foreignProducts = 0
    /// How many values a manifest leaves out because it cannot express them.
    var omittedValues = 0
    /// `nil` if pictures are not kept.
    package var pictures: KeptPictures?
    var removal: DatedFiles.Removal

    /// Whether an export that ended with this error is complete.
    ///
    /// With a gap it is complete if something proves that it has every product that could be read.
    package static func isComplete(after error: (any Error)?) -> Bool {
        guard let error else { return true }
        return (error as? CatalogGap)?.isUnproved == false
    }

    /// What the export lacks of the market's catalog; `nil` if it is complete.
    private var gap: CatalogGap? { CatalogGap(certificate) }

    /// The gap besides missing pictures, which determine how the export ends; `nil` if no pictures are missing.
    package var otherGap: CatalogGap? {
        guard let pictures, pictures.missing > 0 else { return nil }
        return gap
    }

    /// Checks that the export is complete.
    ///
    /// Missing pictures are reported before a gap: the export has to be run again for them.
    package func requireWhole() throws {
        if let pictures, pictures.missing > 0 { throw ExportError.picturesMissing(pictures.missing) }
        if let gap { throw gap }
    }
}
