import FoundationEssentials
@testable import OpenMarketTestSupport
import Testing

/// The page that `plan --write html=FILE` writes, and the pictures it needs.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct ReviewPageTests {
    /// A picture in the page, in its large view or beside a name.
    private func source(_ type: String, _ bytes: [UInt8]) -> String {
        "=\"data:image/\(type);base64,\(Data(bytes).base64EncodedString())\""
    }

    @Test(arguments: ["v1b", "v2b"])
    func `pictures before and after are in the page, and the old ones are fetched once`(api: String) async throws {
        var manifest = ShopManifest.plain(2)
        manifest["thing-1"].images = ["images/1.png"]
        try await CommandSandbox.applied(api, manifest) { shop in
            var changed = manifest
            changed["thing-1"].images = ["images/2.jpg"]
            try shop.change(to: changed)
            let (before, after) = (source("png", SmallPicture.png(1)), source("jpeg", SmallPicture.jpeg(2)))

            let plan = ["plan", "--max-delete", "100%", "--write", "html=plan.html", "-o", "plan.json"]
            let planned = try await shop.program(plan).run()
            #expect(planned.status == 0, "\(planned.errorText)")
            let page = try shop.text("plan.html")
            #expect(page.contains(before) && page.contains(after) && page.contains("data-swipe"))
            let kept = try FileManager.default.contentsOfDirectory(atPath: shop.folder + "/.openmarket/pictures")
                .filter { $0 != "addresses" }
            #expect(kept.count == 1)
            #expect(try kept.map { try shop.read(".openmarket/pictures/" + $0) } == [SmallPicture.png(1)])

            // A saved plan has the same page, and the market is not asked for it.
            #expect(try await shop.openmarket("show", "plan.json", "--write", "html=show.html").status == 0)
            #expect(try shop.read("show.html") == shop.read("plan.html"))

            // What is not the picture that its name says is not a picture.
            try shop.write(".openmarket/pictures/" + (kept.first ?? ""), SmallPicture.png(5))
            #expect(try await shop.openmarket("show", "plan.json", "--write", "html=show.html").status == 0)
            #expect(try shop.text("show.html").contains("Not fetched: the market was not contacted"))

            // The market loses the picture: the plan is the same, and the page says it.
            try FileManager.default.removeItem(atPath: shop.folder + "/.openmarket/pictures")
            try shop.server.setFaults("rules:\n  - {path: '*.png', fault: {status: 404}}\n")
            let again = try await shop.program(plan).run()
            #expect(again.status == 0, "\(again.errorText)")
            #expect(again.stdout == planned.stdout)
            let poorer = try shop.text("plan.html")
            #expect(poorer.contains("<p class=\"missing\" data-t>Not fetched: ") && poorer.contains(after))
        }
    }

    @Test func `a plan without a page fetches no picture`() async throws {
        try await CommandSandbox.applied("v2b", .plain(1)) { shop in
            try shop.change(to: ShopManifest.plain(1).without("thing-1"))
            _ = try await shop.openmarket("plan", "--allow-empty", "--max-delete", "100%", "--write", "text=plan.txt")
            #expect(!shop.exists(".openmarket/pictures"))
        }
    }
}
