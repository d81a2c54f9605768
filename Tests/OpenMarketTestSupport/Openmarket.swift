import FoundationEssentials

/// The program under test.
enum Openmarket {
    /// Where it was built: `OPENMARKET_BINARY`, else beside the test bundle.
    ///
    /// The tests and the program are built into the same folder, so it is looked for there, upwards from where the
    /// test runner or its bundle is.
    static let path: String = {
        if let named = ProcessInfo.processInfo.environment["OPENMARKET_BINARY"], !named.isEmpty { return named }
        for argument in CommandLine.arguments where argument.contains("/") {
            var folder = URL(fileURLWithPath: argument)
            while folder.path.count > 1 {
                folder.deleteLastPathComponent()
                let file = folder.appendingPathComponent("openmarket").path
                var isFolder = false
                if FileManager.default.fileExists(atPath: file, isDirectory: &isFolder), !isFolder { return file }
            }
        }
        return "openmarket"
    }()
}
