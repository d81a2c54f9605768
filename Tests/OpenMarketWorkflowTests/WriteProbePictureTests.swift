@testable import OpenMarket
@testable import OpenMarketDescription
@testable import OpenMarketTestSupport
import Testing
@testable import OpenMarketWorkflow

/// A trial of writing tries pictures, keys that change, and what is said of a product that is gone.
struct WriteProbePictureTests {
    private static let document = """
        market: 1
        name: rack
        identity:
          id: {at: /id, as: integer, order: rising}
          key: {at: /sku, unique: unenforced, find: {query: {sku: "{key}"}}, for: [create, update]}
        fields:
          name: {at: /name}
        pictures:
          style: base64
          write: {at: /images}
          read: {at: /images, id: /id, url: /url}
          change: in_place
          clear: "[]"
        list: {path: /items, page: {by: none}, rows: "", complete: whole}
        operations:
          detail: {path: "/items/{id}"}
          create: {method: POST, path: /items, body: json, hidden: {/shown: false}}
          update: {method: PATCH, path: "/items/{id}", body: json}
          delete: {method: DELETE, path: "/items/{id}"}
        """

    private static func tried(
        _ quirk: TrialMarket.Quirk,
        _ document: String = document,
        addresses: [String] = []
    ) async throws -> (trial: WriteProbe, writes: [WriteRequest]) {
        let market = try TrialMarket(quirk, document)
        let trial = try await market.tried(addresses: addresses)
        #expect(market.isAsBefore)
        return (trial, market.writes)
    }

    private static func pictures(_ writes: [WriteRequest]) -> [[Picture]] {
        writes.compactMap { write in
            switch write.kind {
            case .create(_, let pictures): pictures
            case .update(_, let update): update.changed.contains(.images) ? update.pictures : nil
            default: nil
            }
        }
    }

    @Test func `a second picture is put beside the first, and both are taken away`() async throws {
        let (trial, writes) = try await Self.tried(.none)
        #expect(trial.isSound, "\(trial)")
        let images = try #require(trial.fields.first { $0.field == .images })
        #expect(images.created == .asSent && images.changed == .asSent && images.cleared == .asSent)
        #expect(Self.pictures(writes).map(\.count) == [1, 2, 0])
        #expect(Set(Self.pictures(writes).joined().map(\.digest)).count == 2)
        #expect(trial.steps.map(\.name) == ["create", "find", "change key", "delete", "read again"])
    }

    @Test(arguments: [
        (TrialMarket.Quirk.holdsOne, "pictures.change"), (.addsPictures, "pictures.change"),
        (.keepsPictures, "pictures.clear"), (.keepsKeys, "identity.key.for"), (.findsFormerKeys, "identity.key.for"),
        (.failsForMissing, "operations.detail.missing"),
    ])
    func `what is not as described is named at its line`(quirk: TrialMarket.Quirk, path: String) async throws {
        let (trial, _) = try await Self.tried(quirk)
        #expect(!trial.isSound)
        #expect(trial.faults.map(\.path) == [path], "\(trial.faults)")
        #expect(trial.remains == nil)
    }

    @Test func `a trial is over although the market does not say that its product is gone`() async throws {
        let (market, state) = (try TrialMarket(.failsForMissing, Self.document), MemoryState())
        for _ in 0..<2 {
            let trial = try await market.tried(state)
            #expect(trial.faults.map(\.path) == ["operations.detail.missing"], "\(trial)")
            #expect(market.isAsBefore)
        }
    }

    @Test func `where there is room for one picture, the second one takes its place`() async throws {
        let one = Self.document.replacing("write: {at: /images}", with: "write: {at: /images, one: true}")
            .replacing("clear: \"[]\"", with: "clear: null")
        let (trial, writes) = try await Self.tried(.holdsOne, one)
        #expect(trial.isSound, "\(trial)")
        #expect(trial.fields.first { $0.field == .images }?.changed == .asSent)
        #expect(Self.pictures(writes).map(\.count) == [1, 1, 0])
        #expect(Set(Self.pictures(writes).joined().map(\.digest)).count == 2)
        let (added, _) = try await Self.tried(.addsPictures, one)
        #expect(added.faults.map(\.path) == ["pictures.change"], "\(added.faults)")
    }

    @Test func `a market that fetches pictures is given addresses, and no files`() async throws {
        let fetching = Self.document.replacing("style: base64", with: "style: url")
        let addresses = ["https://pictures.example/a.png", "https://pictures.example/b.png"]
        let (trial, writes) = try await Self.tried(.none, fetching, addresses: addresses)
        #expect(trial.isSound, "\(trial)")
        #expect(Self.pictures(writes).map { $0.compactMap(\.address) } == [[addresses[0]], addresses, []])
        let (without, none) = try await Self.tried(.none, fetching)
        #expect(without.isSound && Self.pictures(none).allSatisfy(\.isEmpty))
    }
}
