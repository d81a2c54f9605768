@testable import OpenMarket
import Testing

/// Tasks that wait for data of others.
@Suite(.timeLimit(.minutes(1)))
struct MonitorTests {
    @Test func `what is added is taken once, by however many tasks wait for it`() async {
        let monitor = Monitor<[Int]>([])
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<200 {
                group.addTask { await monitor.wait { $0.popLast() } }
            }
            for number in 0..<200 {
                monitor.change { $0.append(number) }
                if number.isMultiple(of: 7) { await Task.yield() }
            }
            var taken: [Int] = []
            for await number in group { taken.append(number) }
            #expect(taken.sorted() == Array(0..<200))
        }
        #expect(monitor.withLock(\.isEmpty))
    }

    @Test func `a cancelled task is asked again, and the others go on waiting`() async {
        let monitor = Monitor(false)
        let cancelled = (0..<50).map { _ in Task { await monitor.wait { $0 || Task.isCancelled ? true : nil } } }
        let other = Task { await monitor.wait { $0 ? Task.isCancelled : nil } }
        for task in cancelled {
            await Task.yield()
            task.cancel()
            #expect(await task.value)
        }
        monitor.change { $0 = true }
        #expect(await !other.value)
    }
}
