/// What became of an export.
package struct ExportOutcome: Sendable {
    /// What the export vouches for.
    package var certificate: ExportCertificate
    /// How many products a manifest leaves out, because they are other vendors'.
    var foreignProducts = 0
    /// How many values a manifest leaves out, because it cannot say them.
    var omittedValues = 0
    /// The pictures, where they are kept.
    package var pictures: KeptPictures?
    /// The older exports.
    var removal: DatedFiles.Removal

    /// Whether an export that ended so is complete: with a gap it is where something proves that it has every product that
    /// could be read.
    package static func isComplete(after error: (any Error)?) -> Bool {
        guard let error else { return true }
        return (error as? CatalogGap)?.isUnproved == false
    }

    /// What keeps the export from being all that the market has; `nil` where nothing does.
    private var gap: CatalogGap? { CatalogGap(certificate) }

    /// What the export lacks beside pictures, which are the reason how it ends; `nil` where no pictures are missing.
    package var otherGap: CatalogGap? {
        guard let pictures, pictures.missing > 0 else { return nil }
        return gap
    }

    /// Makes sure that the export is all that was asked for.
    ///
    /// Of two reasons missing pictures win: the export has to be run again for them.
    ///
    /// - Throws: ``ExportError/picturesMissing(_:)``, ``CatalogGap``.
    package func requireWhole() throws {
        if let pictures, pictures.missing > 0 { throw ExportError.picturesMissing(pictures.missing) }
        if let gap { throw gap }
    }
}
