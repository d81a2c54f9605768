import OpenMarketFiles
import OpenMarketManifest
import OpenMarketWorkflow

extension SavedPlan {
    private static let saving = "`openmarket plan -o FILE` saves one"

    /// Reads a saved plan from a file.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when it is not one that can be carried out.
    init(file: String) throws {
        try self.init(InputFile.bytes(of: file, as: .plan), file: file)
    }

    /// Reads a saved plan from a file's bytes.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when it is not one that can be carried out.
    init(_ bytes: [UInt8], file: String) throws {
        if let kind = FileKind(head: bytes) {
            throw CommandFailure(.invalidInput, "\(file) is \(kind.name), and no saved plan", help: Self.saving)
        }
        if ManifestLoader.isTable(file) || file.hasSuffix(".yaml") || file.hasSuffix(".yml") {
            throw CommandFailure(
                .invalidInput,
                "\(file) is a \(ManifestLoader.isTable(file) ? "table" : "manifest"), and no saved plan",
                help: "what it would change: openmarket plan \(file)"
            )
        }
        do throws(SavedPlanError) {
            try self.init(bytes: bytes, in: DocumentFolder.of(file))
        } catch {
            let help: String? =
                switch error.code {
                case .notAPlan: Self.saving
                case .unreadable: "make it again: openmarket plan -o FILE"
                case .previewOnly: "save one with `openmarket plan -o FILE`"
                }
            throw CommandFailure(.invalidInput, "\(file): \(error.message)", help: help)
        }
    }
}
