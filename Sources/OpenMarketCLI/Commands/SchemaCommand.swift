import ArgumentParser
import OpenMarket
import OpenMarketManifest

struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Prints the manifest's JSON Schema, for editors that complete and check.",
        discussion: """
            Save it beside the manifest and name it in the manifest's first line: \
            # yaml-language-server: $schema=openmarket.schema.json
            """
    )

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try output.context().console.write(document: ManifestSchema.jsonSchema)
    }
}
