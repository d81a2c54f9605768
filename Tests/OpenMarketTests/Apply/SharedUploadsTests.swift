@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// Uploads of equal bytes for several products.
struct SharedUploadsTests {
    private static func succeeded(_ reference: String?) -> WriteOutcome {
        .succeeded(WriteReply(reference: reference))
    }

    @Test func `equal bytes are sent once, by however many products at once`() async {
        let uploads = SharedUploads()
        let sent = Monitor<[ContentDigest]>([])
        await withTaskGroup(of: WriteOutcome.self) { group in
            for number in 0..<60 {
                let picture = ContentDigest.picture(UInt8(number % 3))
                group.addTask {
                    await uploads.outcome(of: picture, knownFor: nil, { .zero }) {
                        sent.withLock { $0.append(picture) }
                        for _ in 0..<20 { await Task.yield() }
                        return Self.succeeded("r")
                    }
                }
            }
            for await outcome in group { #expect(outcome == Self.succeeded("r")) }
        }
        #expect(sent.withLock { $0.count == 3 && Set($0).count == 3 })
    }

    @Test func `what failed, has no name or may be forgotten is sent again`() async {
        let uploads = SharedUploads()
        let trouble = WriteOutcome.uncertain(WriteTrouble("connection reset"))
        func upload(at seconds: Int, answered outcome: WriteOutcome) async -> WriteOutcome {
            await uploads.outcome(of: .picture(1), knownFor: .seconds(100), { .seconds(seconds) }) { outcome }
        }
        #expect(await upload(at: 0, answered: trouble) == trouble)
        #expect(await upload(at: 1, answered: Self.succeeded(nil)) == Self.succeeded(nil))
        #expect(await upload(at: 2, answered: Self.succeeded("a")) == Self.succeeded("a"))
        #expect(await upload(at: 51, answered: Self.succeeded("b")) == Self.succeeded("a"))
        #expect(await upload(at: 52, answered: Self.succeeded("c")) == Self.succeeded("c"))
    }
}
