import OpenMarket
import OpenMarketFiles
import Synchronization
import SystemPackage

/// The replies that an export has read so far, in a file next to its output: `.NAME.resume`.
///
/// The first page creates the file; its process locks it, and removes it when the export ends. A remaining file is from
/// a run that was killed, stopped or cut off from the market. The next export of the same output resumes from it.
///
/// It holds the market's replies unchanged, one record each with its checksum. So the resumed run may have other
/// formats, columns and keys. If a reply holds a credential, no file is kept.
///
/// A fault of the file never fails an export: the market is then read from the beginning.
final class ExportCheckpoint: ReplyLog {
    /// Older replies are not used.
    static let maximumAge: Duration = .seconds(24 * 60 * 60)
    /// Limits the file for a catalog that has to be read again and again.
    private static let maximumSize: Int64 = 1 << 30

    let path: String
    private let head: JSONValue
    private let onNote: @Sendable (String) -> Void
    private let startedAt: Timestamp
    private let state = Mutex(State())

    private struct State: Sendable {
        /// `nil` until the file exists and belongs to this run.
        var file: CheckpointFile?
        /// Whether replies are not kept, because another run uses the file or it cannot be written.
        var isOff = false
        var startedAt: Timestamp?
        var earlier: EarlierReading?
        var hasResumed = false
        var pages = 0
        /// Products that were read ahead of the position in the file.
        var products: [MarketID: KeptProduct] = [:]
    }

    static func path(of output: String) -> String {
        FileSystem.prefix(of: output) + "." + FileSystem.name(of: output) + ".resume"
    }

    /// Looks for the file of an interrupted run.
    ///
    /// A file of another `description` digest or another version of the tool is not used. With `restarts`, none is
    /// used.
    ///
    /// `onNote` receives the outcome.
    init(
        output: String,
        scope: MarketScope,
        description: ContentDigest,
        details: Bool,
        parallelism: Int,
        restarts: Bool = false,
        tool: String,
        now: Timestamp = .now,
        onNote: @escaping @Sendable (String) -> Void
    ) {
        path = Self.path(of: output)
        self.onNote = onNote
        head = .object(
            of: ("format_version", .formatVersion),
            ("tool", .string("openmarket \(tool)")),
            ("market", JSONValue(scope, and: [.init("description_sha256", description.document)])),
            ("details", .bool(details)),
            ("parallelism", .integer(parallelism))
        )
        startedAt = now
        state.withLock { open(restarts: restarts, &$0) }
    }

    deinit { state.withLock { $0.file?.close() } }

    /// The start of the resumed reading; `nil` if this run started over.
    var resumedStart: Timestamp? { state.withLock { $0.hasResumed ? $0.startedAt : nil } }

    // MARK: - Resuming

    private func open(restarts: Bool, _ state: inout State) {
        do {
            var file = try CheckpointFile(path, creates: false)
            if restarts {
                try file.clear()
            } else if let reason = try survey(&file, &state) {
                onNote("\(reason): starting again")
                try file.clear()
            }
            state.file = file
        } catch Errno.noSuchFileOrDirectory {
            // No export was interrupted.
        } catch LockedFile.Fault.locked {
            state.isOff = true
            onNote("Another export of the same file is running: this one cannot be resumed")
        } catch {
            giveUp(error, &state)
        }
    }

    /// Determines whether the file can be used; returns the reason if not.
    private func survey(_ file: inout CheckpointFile, _ state: inout State) throws -> String? {
        let damaged = "warning: \(path), left by an interrupted export, is damaged"
        let contents: CheckpointFile.Contents
        do {
            contents = try file.survey()
        } catch CheckpointFile.Fault.damaged {
            return damaged
        }
        // A run that is killed before its first page cannot be resumed.
        guard contents.pages > 0 else {
            try file.clear()
            return nil
        }
        let fits = ["format_version", "tool", "market", "details"].allSatisfy { contents.head[$0] == head[$0] }
        guard fits, let start = contents.head["started_at"]?.integer, let width = contents.head["parallelism"]?.integer
        else { return "The interrupted export is of another market, choice of details or version" }
        let began = Timestamp(milliseconds: start)
        // Larger numbers would overflow below; no run writes them.
        guard Parallelism.range.contains(Int(clamping: width)), Timestamp.possible.contains(began) else {
            return damaged
        }
        guard (.zero...Self.maximumAge).contains(startedAt - began) else {
            return "The interrupted export began at \(began.iso8601), more than a day from now"
        }
        state.startedAt = began
        state.pages = contents.pages
        state.earlier = EarlierReading(parallelism: Int(width), marks: contents.marks)
        return nil
    }

    package func earlier() throws -> EarlierReading? { state.withLock { $0.earlier } }

    package func resume() {
        let (pages, began) = state.withLock { state in
            state.hasResumed = true
            return (state.pages, state.startedAt ?? .epoch)
        }
        onNote(
            "Resuming the export that began at \(began.iso8601): \(counted(pages, "page")) "
                + "\(pages == 1 ? "is" : "are") there already"
        )
    }

    package func restart() {
        state.withLock { state in
            onNote("The catalog moved since \((state.startedAt ?? .epoch).iso8601): starting again")
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

    package func nextPage() throws -> KeptPage? {
        try state.withLock { state in
            while let record = try state.file?.next() {
                guard record.kind == .page else { continue }
                guard let page = record.page else { throw CheckpointFile.Fault.damaged }
                return page
            }
            return nil
        }
    }

    package func product(_ id: MarketID) throws -> KeptProduct? {
        try state.withLock { state in
            guard state.hasResumed else { return nil }
            while let record = try state.file?.next(unless: .page) {
                guard let kept = record.product else { throw CheckpointFile.Fault.damaged }
                state.products[kept.id] = KeptProduct(body: kept.body)
            }
            return state.products.removeValue(forKey: id)
        }
    }

    // MARK: - Keeping

    package func keep(page: KeptReply, _ body: Span<UInt8>) {
        state.withLock { state in
            keep(.page, Int64(page.number), name: page.name, body: body, &state)
            if !state.isOff { state.pages += 1 }
        }
    }

    package func keep(product: MarketID, _ body: Span<UInt8>?) {
        let (number, name): (Int64, [UInt8]) =
            switch product {
            case .number(let number): (number, [])
            case .text(let text): (0, Array(text.utf8))
            }
        state.withLock { state in
            if let body {
                keep(.product, number, name: name, body: body, &state)
            } else {
                keep(.missing, number, name: name, &state)
            }
        }
    }

    private func keep(
        _ kind: CheckpointFile.Kind,
        _ number: Int64,
        name: [UInt8],
        body: Span<UInt8> = Span(),
        _ state: inout State
    ) {
        guard !state.isOff else { return }
        // A reply that holds a credential must not be on disk.
        let mask = SecretMask.current
        guard !mask.isHeld(by: body), !mask.isHeld(by: name.span) else { return remove(&state) }
        do {
            if state.file == nil {
                var file = try CheckpointFile(path, creates: true)
                try file.clear()
                state.file = file
            }
            if state.file?.isEmpty ?? true {
                let head = (head.members ?? []) + [.init("started_at", .integer(startedAt.rawValue))]
                try state.file?.append(.head, 0, JSONValue.object(head).bytes().span)
            }
            try state.file?.append(kind, number, name: name, body)
            if state.file?.size ?? 0 > Self.maximumSize { remove(&state) }
        } catch LockedFile.Fault.locked {
            state.isOff = true
        } catch {
            giveUp(error, &state)
        }
    }

    /// Stops keeping replies: if the export is interrupted from now on, it has to start over.
    private func giveUp(_ error: any Error, _ state: inout State) {
        onNote("warning: the read pages cannot be kept in \(path): \(error)")
        remove(&state)
    }

    // MARK: - End

    /// Removes the file: the export is complete, or cannot be completed from it.
    func remove() { state.withLock { remove(&$0) } }

    private func remove(_ state: inout State) {
        state.file?.remove()
        state.file = nil
        state.isOff = true
        state.earlier = nil
    }

    /// Keeps the file if the export was interrupted; removes it otherwise.
    func end(after error: any Error) {
        let isInterrupted = error is CancellationError || (error as? MarketError)?.code == .unreachable
        let pages = state.withLock { state in
            if !isInterrupted || state.pages == 0 { remove(&state) }
            return state.file == nil ? 0 : state.pages
        }
        guard pages > 0 else { return }
        onNote("Kept \(counted(pages, "page")): run the same export again within a day to resume there")
    }
}
