import OpenMarketFiles
import OpenMarketWorkflow

/// The code host whose job runs the command, detected by the variables that it sets.
enum CodeHost {
    /// The URL of a file of the commit, up to its path relative to the current folder; `nil` outside of a job.
    static func files(_ environment: [String: String]) -> String? {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let address: String? =
            if let server = value("GITHUB_SERVER_URL"), let repository = value("GITHUB_REPOSITORY"),
                let commit = value("GITHUB_SHA")
            {
                "\(server)/\(repository)/blob/\(commit)/"
            } else if let project = value("CI_PROJECT_URL"), let commit = value("CI_COMMIT_SHA") {
                "\(project)/-/blob/\(commit)/"
            } else {
                nil
            }
        guard let address,
            let root = (value("GITHUB_WORKSPACE") ?? value("CI_PROJECT_DIR")).flatMap(FileSystem.resolved),
            let folder = FileSystem.resolved("."), folder.hasPrefix(root + "/")
        else { return address }
        return address + folder.dropFirst(root.count + 1).linkEscaped + "/"
    }
}
