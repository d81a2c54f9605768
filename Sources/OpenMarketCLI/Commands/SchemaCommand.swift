import ArgumentParser
import OpenMarket
import OpenMarketDescription
import OpenMarketManifest

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the manifest's JSON Schema, for editors that complete and check.",
        discussion: """
            Save it next to the manifest, and name it in the manifest's first line:
              # yaml-language-server: $schema=openmarket.schema.json
            """
    )

    @Flag(help: "The schema of a market's description instead.")
    var market = false
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try output.context().console.write(document: market ? MarketLanguage.jsonSchema : ManifestSchema.jsonSchema)
    }
}
