import OpenMarketFiles
import OpenMarketWorkflow

extension SavedPlan {
    /// Reads a saved plan from a file.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when it is none that can be carried out.
    init(file: String) throws {
        try self.init(FileBytes.read(file, as: .plan), file: file)
    }

    /// Reads a saved plan from a file's bytes.
    ///
    /// - Throws: ``CommandFailure`` with exit 4 when it is none that can be carried out.
    init(_ bytes: [UInt8], file: String) throws {
        do throws(SavedPlanError) {
            try self.init(bytes: bytes, in: DocumentFolder.of(file))
        } catch {
            let help: String? =
                switch error.code {
                case .notAPlan: nil
                case .unreadable: "make it again: openmarket plan -o FILE"
                case .previewOnly: "save one with `openmarket plan -o FILE`"
                }
            throw CommandFailure(.invalidInput, "\(file): \(error.message)", help: help)
        }
    }
}
