import FoundationEssentials

extension Program {
    /// Where a program is installed, by the first of its names that is found; `nil` where it is not.
    static func installed(_ names: String...) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return names.lazy.flatMap { name in folders.map { "\($0)/\(name)" } }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
