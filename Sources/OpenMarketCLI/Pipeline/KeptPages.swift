import OpenMarket
import OpenMarketClient
import OpenMarketFiles
import OpenMarketReview
import OpenMarketWorkflow
import Synchronization

/// The pages that an export has read so far, in a file beside its output: `.NAME.resume`.
///
/// Made with the first page, locked by its maker, and removed with the end of the export; one that stays is of a run that
/// was killed, stopped or cut off from the market, and the next export of the same output goes on with it. It holds replies
/// of the market as they came, one record each with its checksum, so formats, columns and keys may be others then.
///
/// What is wrong with the file never fails an export: it only has to be read from the beginning.
final class KeptPages: ReplyLog {
    /// No older replies are taken for what the market shows.
    private static let maximumAge: Duration = .seconds(24 * 60 * 60)
    /// When a run can have begun: until the year 9999.
    private static let moments: ClosedRange<Int64> = 0...253_402_300_799_999
    /// A catalog that has to be read again and again fills no disk.
    private static let maximumSize: Int64 = 1 << 30

    /// Where the file is.
    let path: String
    private let head: JSONValue
    private let console: Console
    /// When this run began.
    private let startedAt: Timestamp
    private let state = Mutex(State())

    private struct State: Sendable {
        /// The file, once it is there and ours.
        var file: KeptPagesFile?
        /// Whether nothing is kept: the file is another run's, or cannot be written.
        var isOff = false
        /// When the interrupted reading began.
        var startedAt: Timestamp?
        var earlier: EarlierReading?
        var hasGoneOn = false
        /// How many pages are kept.
        var pages = 0
        /// What was read ahead of the place where the file is read.
        var products: [ProductID: KeptProduct] = [:]
    }

    /// Where the pages of an output are kept.
    static func path(of output: String) -> String {
        FileSystem.prefix(of: output) + "." + FileSystem.name(of: output) + ".resume"
    }

    /// Looks for what an interrupted run has left.
    ///
    /// - Parameters:
    ///   - output: the file that is exported to, as it was named.
    ///   - scope: the market.
    ///   - details: whether every product's details are read.
    ///   - parallelism: how many pages are read at once.
    ///   - startsAgain: whether nothing that was left is used.
    ///   - console: where is said what becomes of it.
    ///   - now: when this run begins.
    init(
        output: String,
        scope: MarketScope,
        details: Bool,
        parallelism: Int,
        startsAgain: Bool,
        console: Console,
        now: Timestamp = .now
    ) {
        path = Self.path(of: output)
        self.console = console
        head = .object(
            of: ("format_version", .formatVersion),
            ("tool", .string("openmarket \(toolVersion)")),
            ("market", .object(of: ("url", .string(scope.url)), ("profile", .string(scope.profile.rawValue)))),
            ("details", .bool(details)),
            ("parallelism", .integer(parallelism))
        )
        startedAt = now
        state.withLock { open(startsAgain: startsAgain, &$0) }
    }

    deinit { state.withLock { $0.file?.close() } }

    /// How many pages are kept.
    var pageCount: Int { state.withLock(\.pages) }

    /// When the reading began that this run went on with; `nil` where it began anew.
    var resumedStart: Timestamp? { state.withLock { $0.hasGoneOn ? $0.startedAt : nil } }

    // MARK: - Going on

    private func open(startsAgain: Bool, _ state: inout State) {
        do {
            guard var file = try KeptPagesFile(opening: path) else { return }
            if startsAgain {
                try file.clear()
            } else if let useless = try look(into: &file, &state) {
                console.note(useless)
                try file.clear()
            }
            state.file = file
        } catch LockedFile.Fault.locked {
            state.isOff = true
            console.note("Another export of the same file is under way: this one keeps no pages to be resumed with")
        } catch {
            giveUp(error, &state)
        }
    }

    /// Finds out whether what is there can be used.
    ///
    /// - Returns: why not.
    private func look(into file: inout KeptPagesFile, _ state: inout State) throws -> String? {
        let contents: KeptPagesFile.Contents
        do {
            contents = try file.survey()
            // Killed before its first page came, a run leaves nothing.
            guard contents.pages > 0 else {
                try file.clear()
                return nil
            }
        } catch KeptPagesFile.Fault.damaged {
            return "warning: \(path.terminalSafe), left by an interrupted export, is damaged: starting again"
        }
        let fits = ["format_version", "tool", "market", "details"].allSatisfy { contents.head[$0] == head[$0] }
        guard fits, let start = contents.head["started_at"]?.integer, let width = contents.head["parallelism"]?.integer
        else {
            return
                "What an interrupted export has kept is of another market, \(Setting.details.flag) or version: starting again"
        }
        // Numbers that no run writes would overflow further on.
        guard ParallelismOption.range.contains(Int(clamping: width)), Self.moments.contains(start) else {
            return "warning: \(path.terminalSafe), left by an interrupted export, is damaged: starting again"
        }
        let startedAt = Timestamp(milliseconds: start)
        let age = self.startedAt - startedAt
        guard age >= .zero, age <= Self.maximumAge else {
            return "The interrupted export began at \(startedAt.iso8601), more than a day from now: starting again"
        }
        state.startedAt = startedAt
        state.pages = contents.pages
        state.earlier = EarlierReading(parallelism: Int(width), marks: contents.marks)
        return nil
    }

    func earlier() throws -> EarlierReading? { state.withLock { $0.earlier } }

    func goOn() {
        let (pages, startedAt) = state.withLock { state in
            state.hasGoneOn = true
            return (state.pages, state.startedAt ?? .epoch)
        }
        console.note(
            "Going on with the export that began at \(startedAt.iso8601): \(counted(pages, "page")) \(pages == 1 ? "is" : "are") there already"
        )
    }

    func startAgain() {
        state.withLock { state in
            console.note("The catalog moved since \((state.startedAt ?? .epoch).iso8601): starting again")
            do {
                try state.file?.clear()
            } catch {
                giveUp(error, &state)
            }
            state.earlier = nil
            state.startedAt = nil
            state.pages = 0
        }
    }

    func nextPage() throws -> KeptPage? {
        try state.withLock { state in
            while let record = try state.file?.next() {
                guard record.kind == .page else { continue }
                return KeptPage(number: Int(record.number), body: record.body)
            }
            return nil
        }
    }

    func product(_ id: ProductID) throws -> KeptProduct? {
        try state.withLock { state in
            guard state.hasGoneOn else { return nil }
            while let record = try state.file?.next(unless: .page) {
                let body = record.kind == .product ? record.body : nil
                state.products[ProductID(rawValue: record.number)] = KeptProduct(body: body)
            }
            return state.products.removeValue(forKey: id)
        }
    }

    // MARK: - Keeping

    func keep(page: Int, _ body: UnsafeRawBufferPointer) {
        state.withLock { state in
            keep(.page, Int64(page), body, &state)
            if !state.isOff { state.pages += 1 }
        }
    }

    func keep(product: ProductID, _ body: UnsafeRawBufferPointer?) {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        state.withLock { keep(body == nil ? .missing : .product, product.rawValue, body ?? nothing, &$0) }
    }

    private func keep(_ kind: KeptPagesFile.Kind, _ number: Int64, _ body: UnsafeRawBufferPointer, _ state: inout State)
    {
        guard !state.isOff else { return }
        do {
            if state.file == nil { state.file = try KeptPagesFile(making: path) }
            if state.file?.isEmpty ?? true {
                let head = (head.members ?? []) + [.init("started_at", .integer(startedAt.rawValue))]
                try JSONValue.object(head).bytes().withUnsafeBytes { try state.file?.append(.head, 0, $0) }
            }
            try state.file?.append(kind, number, body)
            if state.file?.size ?? 0 > Self.maximumSize { remove(&state) }
        } catch LockedFile.Fault.locked {
            state.isOff = true
        } catch {
            giveUp(error, &state)
        }
    }

    /// Keeps nothing more: an export that is interrupted from now on has to begin anew.
    private func giveUp(_ error: any Error, _ state: inout State) {
        console.note("warning: what is read cannot be kept in \(path.terminalSafe): \(error)")
        remove(&state)
    }

    // MARK: - The end

    /// Removes the file, for the export is there, or will not come of what is kept.
    func remove() { state.withLock { remove(&$0) } }

    private func remove(_ state: inout State) {
        state.file?.remove()
        state.file = nil
        state.isOff = true
        state.earlier = nil
    }

    /// Keeps the file where the export was stopped from outside, and says so; else removes it.
    func end(after error: any Error) {
        let isInterrupted = error is CancellationError || (error as? MarketError)?.code == .unreachable
        let pages = state.withLock { state in
            if !isInterrupted || state.pages == 0 { remove(&state) }
            return state.file == nil ? 0 : state.pages
        }
        guard pages > 0 else { return }
        console.note("Kept \(counted(pages, "page")): the same export, run again within a day, goes on there")
    }
}
