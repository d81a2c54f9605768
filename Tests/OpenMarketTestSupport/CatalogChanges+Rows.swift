public import OpenMarket

extension CatalogChanges {
    /// What changed from the rows of an earlier export to those of a later one.
    public static func between(_ earlier: [CatalogRow], and later: [CatalogRow]) -> CatalogChanges {
        var comparison = CatalogComparison(shows: CatalogColumn.allCases)
        for row in earlier { comparison.survey(row) }
        comparison.endSurvey()
        for row in earlier { comparison.note(row) }
        for row in later { comparison.compare(row) }
        for row in earlier { comparison.explain(row) }
        return comparison.finish()
    }
}
