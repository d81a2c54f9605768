@testable import OpenMarketTestSupport
import Testing

/// One reply that is not the market's own, or not true, damages nothing and is never taken for success: the real program,
/// with something between it and the market.
@Suite(.timeLimit(.minutes(5)))
struct TamperedReplyTests {
    /// A market behind a proxy, with so many products applied.
    private static func open(
        _ api: String,
        _ count: Int,
        _ body: (ReliabilitySandbox, TamperingProxy, inout MarketView) async throws -> Void
    ) async throws {
        try await ReliabilitySandbox.open(api, .plain(max(count, 1))) { sandbox in
            try await TamperingProxy.run(before: sandbox.server) { proxy, server in
                let server = sandbox.server.reached(through: server)
                let behind = ReliabilitySandbox(folder: sandbox.folder, api: api, server: server)
                if count > 0 { try await behind.applyUntilDone() }
                var view = MarketView(sandbox.server, api)
                try await body(behind, proxy, &view)
            }
        }
    }

    /// The market behaves again: the next run makes everything right.
    private static func settle(
        _ sandbox: ReliabilitySandbox,
        _ proxy: TamperingProxy,
        _ wanted: Assortment,
        _ view: inout MarketView
    ) async throws {
        proxy.set(.none)
        try await sandbox.applyUntilDone(atMost: 2)
        try await sandbox.expectExactly(wanted, Neighbours(of: sandbox), &view, "\(sandbox.api)")
    }

    @Test(arguments: ["v1b", "v2b"])
    func `a gateway's page with 404 does not prove that a product is gone`(api: String) async throws {
        try await Self.open(api, 3) { sandbox, proxy, view in
            var wanted = Assortment.plain(3)
            wanted.products.remove(at: 1)
            try sandbox.want(wanted)
            proxy.set(.notFoundPage(product: 2))
            let output = try await sandbox.openmarket("apply", "--yes")
            #expect(output.status == 3, "\(output.errorText)")
            #expect(try view.ids().contains(2))
            let listed = try await sandbox.openmarket("state", "list")
            #expect(listed.text.contains("thing-2"), "\(listed.text)")
            try await Self.settle(sandbox, proxy, wanted, &view)
            #expect(try !view.ids().contains(2))
        }
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `a create that is answered with 303 is made once`(api: String) async throws {
        try await Self.open(api, 0) { sandbox, proxy, view in
            proxy.set(.seeOther)
            let output = try await sandbox.openmarket("apply", "--yes")
            #expect(output.status == 0, "\(output.errorText)")
            #expect(try view.ids() == [1])
            try await Self.settle(sandbox, proxy, .plain(1), &view)
            #expect(try view.ids() == [1])
        }
    }

    @Test(arguments: TestScope.sweptProfiles)
    func `a create that is answered with another product binds no second key to it`(api: String) async throws {
        try await Self.open(api, 1) { sandbox, proxy, view in
            try sandbox.want(.plain(2))
            proxy.set(.firstProduct)
            let output = try await sandbox.openmarket("apply", "--yes")
            #expect(output.status == 0, "\(output.errorText)")
            try await Self.settle(sandbox, proxy, .plain(2), &view)
            #expect(try view.ids().sorted() == [1, 2])
        }
    }

    @Test(arguments: TestScope.sweptProfiles, [false, true])
    func `a reply that lacks a field is not a success`(api: String, asNull: Bool) async throws {
        let isV1 = api.hasPrefix("v1")
        let fields = [
            isV1 ? "title" : "name", isV1 ? "descriptions" : "description", "price", "currency", "stock", "images",
        ]
        try await Self.open(api, 1) { sandbox, proxy, view in
            var wanted = Assortment.plain(1)
            for (number, field) in zip(2..., fields) {
                proxy.set(.hides([field], asNull: asNull))
                wanted = .plain(number)
                try sandbox.want(wanted)
                let output = try await sandbox.openmarket("apply", "--yes")
                #expect(output.status == 3, "\(field): \(output.errorText)")
                let name = ["title": "name", "descriptions": "description"][field] ?? field
                #expect(output.errorText.contains("\(name): sent "), "\(field): \(output.errorText)")
                #expect(output.errorText.contains("the market shows no value"), "\(field): \(output.errorText)")
                #expect(try view.ids().count == number, "\(field)")
            }
            try await Self.settle(sandbox, proxy, wanted, &view)
        }
    }

    @Test(arguments: TestScope.sweptProfiles.filter { $0.hasPrefix("v2") })
    func `a replace whose new product lost its text keeps the old one`(api: String) async throws {
        try await Self.open(api, 1) { sandbox, proxy, view in
            var wanted = Assortment.plain(1)
            wanted.products[0].pictures = [9]
            try sandbox.want(wanted)
            proxy.set(.cuts(wanted.products[0].description, to: 12))
            let output = try await sandbox.openmarket("apply", "--yes")
            #expect(output.status == 3, "\(output.errorText)")
            #expect(output.errorText.contains("product 1 stays as it was"), "\(output.errorText)")
            #expect(try view.ids() == [1])
            #expect(try view.shown(1)?.description == wanted.products[0].description)
            try await Self.settle(sandbox, proxy, wanted, &view)
        }
    }

    /// On v1 the first picture is the thumbnail and pictures can be sent again in place, so there the order counts.
    @Test(arguments: TestScope.sweptProfiles.filter { $0.hasPrefix("v2") })
    func `pictures that are shown in another order are not other pictures`(api: String) async throws {
        try await Self.open(api, 0) { sandbox, proxy, view in
            var wanted = Assortment.plain(1)
            wanted.products[0].pictures = [3, 4, 5]
            try sandbox.want(wanted)
            try await sandbox.applyUntilDone()
            proxy.set(.reversesPictures)
            let plan = try await sandbox.openmarket("plan", "--refresh", "full", "--detailed-exitcode")
            #expect(plan.status == 0, "\(plan.text)\(plan.errorText)")
            try await Self.settle(sandbox, proxy, wanted, &view)
        }
    }

    @Test(arguments: ["v1b", "v2b"])
    func `a page that repeats another is not part of the catalog`(api: String) async throws {
        // Two pages on v1, whose pages have 20 rows; v2's have as many as the client asks for.
        let count = api == "v1b" ? 25 : 105
        try await Self.open(api, count) { sandbox, proxy, view in
            #expect(try view.ids().count == count)
            proxy.set(.repeatsPage)
            let export = try await sandbox.openmarket("export", "-o", "catalog.csv")
            #expect(export.status == 1, "\(export.status) \(export.errorText)")
            #expect(throws: (any Error).self) { try sandbox.read("catalog.csv") }
            #expect(try await sandbox.sh("rm -r .openmarket").status == 0)
            let apply = try await sandbox.openmarket("apply", "--yes")
            #expect(apply.status != 0, "\(apply.text)")
            #expect(try view.ids().count == count)
        }
    }
}
