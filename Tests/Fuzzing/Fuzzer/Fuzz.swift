import FoundationEssentials
import LibFuzzer

/// Fuzzes the parser that `OPENMARKET_FUZZ` names; the arguments are libFuzzer's.
@main
enum Fuzz {
    /// What is wrong with each parser, given any bytes.
    static let parsers: [String: @Sendable ([UInt8]) -> String?] = [
        "catalog": CatalogFuzz.fault,
        "csv": CSVFuzz.fault,
        "decisions": DecisionsFuzz.fault,
        "expression": ExpressionFuzz.fault,
        "json": JSONFuzz.fault,
        // Beside the manifests' corpus are the pictures that they name.
        "manifest": { ManifestFuzz.fault($0, folder: "Corpus/picture") },
        "market": MarketFuzz.fault,
        "multipart": MultipartFuzz.fault,
        "page": PageFuzz.fault,
        "picture": PictureFuzz.fault,
        "reply": ReplyFuzz.fault,
        "table": TableFuzz.fault,
        "yaml": YAMLFuzz.fault,
    ]

    static let fault: @Sendable ([UInt8]) -> String? = {
        let name = ProcessInfo.processInfo.environment["OPENMARKET_FUZZ"] ?? ""
        guard let fault = parsers[name] else {
            fatalError("OPENMARKET_FUZZ must be one of \(parsers.keys.sorted().joined(separator: ", "))")
        }
        return fault
    }()

    static func main() {
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        _ = LLVMFuzzerRunDriver(&count, &arguments) { data, size in
            // A crash is what libFuzzer reports and keeps the input of.
            if let words = Fuzz.fault(Array(UnsafeBufferPointer(start: data, count: size))) { fatalError(words) }
            return 0
        }
    }
}
