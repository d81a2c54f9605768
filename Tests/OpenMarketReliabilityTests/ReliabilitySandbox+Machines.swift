#if PostgreSQL
import FoundationEssentials
import OpenMarketTestSupport

extension ReliabilitySandbox {
    /// Another machine with the same manifest, whose state is the one that all share.
    func machine(_ name: String, state: String) throws -> ReliabilitySandbox {
        let machine = folder + "/" + name
        try FileManager.default.createDirectory(atPath: machine, withIntermediateDirectories: true)
        for file in ["openmarket.yaml", "images"] {
            try FileManager.default.copyItem(atPath: folder + "/" + file, toPath: machine + "/" + file)
        }
        return ReliabilitySandbox(
            folder: machine,
            api: api,
            server: server,
            environment: environment.merging(["OPENMARKET_STATE": state]) { $1 }
        )
    }
}
#endif
