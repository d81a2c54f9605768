package import OpenMarket
import YAML

extension Problem {
    /// A fault of a description that appears only after reading, at the part that it names or the nearest one around it.
    package init(rule message: String, at path: String, in document: [UInt8]) {
        var reader = SchemaReader()
        _ = reader.document(MarketDescription.table, document, limits: MarketDescriptionLoader.limits)
        self = reader.placed(Problem(.rule, message, path: path))
    }
}
