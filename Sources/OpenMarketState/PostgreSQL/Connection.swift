import CLibPQ

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A connection to a server, used by one thread at a time, which blocks while it waits for the server.
///
/// Statements are not prepared: a pooler may run each of them in another server process. Nothing here is ever
/// cancelled: a commit that waits for a standby would look committed.
@safe final class Connection {
    /// The time limit for the server's answers.
    enum Patience {
        /// Until this point in time, whatever arrives.
        case until(ContinuousClock.Instant)
        /// This long for each next piece.
        case each(Duration)

        fileprivate var deadline: ContinuousClock.Instant {
            switch self {
            case .until(let moment): moment
            case .each(let duration): .now + duration
            }
        }
    }

    private let handle: OpaquePointer
    private let notices = Notices()
    var patience: Patience

    /// Throws ``ConnectionFault``.
    init(_ settings: ConnectionSettings, patience: Patience) throws {
        self.patience = patience
        unsafe handle = try Self.connect(settings, patience)
        unsafe PQsetnonblocking(handle, 1)
        let receiver: PQnoticeReceiver = { context, result in
            guard let context = unsafe context, let result = unsafe result else { return }
            let notices = unsafe Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue()
            // The severity in English, whatever the server's language.
            guard
                unsafe PQresultErrorField(result, Int32(UInt8(ascii: "V"))).map({ unsafe String(cString: $0) })
                    == "WARNING"
            else {
                return
            }
            notices.warning =
                unsafe PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { unsafe String(cString: $0) } ?? ""
        }
        unsafe PQsetNoticeReceiver(handle, receiver, Unmanaged.passUnretained(notices).toOpaque())
    }

    deinit { unsafe PQfinish(handle) }

    /// The server's last warning; `nil` if there is none.
    var warning: String? { notices.warning }

    private final class Notices {
        var warning: String?
    }

    // MARK: - Connecting

    private static func connect(_ settings: ConnectionSettings, _ patience: Patience) throws -> OpaquePointer {
        let deadline = patience.deadline
        let options = settings.options
        let started = unsafe options.map(\.name).withCStrings { names in
            unsafe options.map(\.value).withCStrings { values in unsafe PQconnectStartParams(names, values, 1) }
        }
        guard let handle = unsafe started else { throw ConnectionFault.lost("out of memory for a connection") }
        do {
            guard unsafe PQstatus(handle) != CONNECTION_BAD else { throw unsafe ConnectionFault.lost(message(handle)) }
            var next = PGRES_POLLING_WRITING
            while next != PGRES_POLLING_OK {
                switch next {
                case PGRES_POLLING_READING: unsafe try wait(handle, POLLIN, until: deadline)
                case PGRES_POLLING_WRITING: unsafe try wait(handle, POLLOUT, until: deadline)
                default: throw unsafe ConnectionFault.lost(message(handle))
                }
                next = unsafe PQconnectPoll(handle)
            }
        } catch {
            unsafe PQfinish(handle)
            throw error
        }
        return unsafe handle
    }

    private static func message(_ handle: OpaquePointer) -> String {
        unsafe String(cString: PQerrorMessage(handle)).lines
    }

    // MARK: - Statements

    /// Throws ``ConnectionFault``.
    @discardableResult
    func query(_ sql: String, _ parameters: [Parameter] = []) throws -> QueryResult {
        try send(sql, parameters)
        return try lastResult()
    }

    /// Executes statements in one transaction, which is rolled back if the body throws.
    ///
    /// Each statement sees what others committed before it, whatever the database's default is. Decisions under a lock
    /// depend on the data that was committed before the lock was free. Throws ``ConnectionFault`` and the body's
    /// errors.
    func transaction<Value>(
        _ begin: String = "BEGIN ISOLATION LEVEL READ COMMITTED",
        _ body: () throws -> Value
    ) throws -> Value {
        try query(begin)
        let value: Value
        do {
            value = try body()
        } catch {
            // Without an answer, the server ends the transaction with the connection.
            _ = try? query("ROLLBACK")
            throw error
        }
        try query("COMMIT")
        return value
    }

    private func send(_ sql: String, _ parameters: [Parameter]) throws {
        notices.warning = nil
        let sent = unsafe parameters.map(\.bytes).withCStrings { values in
            unsafe PQsendQueryParams(handle, sql, Int32(parameters.count), nil, values, nil, nil, 0)
        }
        guard sent == 1 else { throw unsafe ConnectionFault.lost(Self.message(handle)) }
        try flush()
    }

    /// The last result of the current statement.
    private func lastResult() throws -> QueryResult {
        var last: QueryResult?
        while let result = try nextResult() {
            // Of several results, the first with an error message counts.
            if last?.status != PGRES_FATAL_ERROR { last = result }
        }
        guard let last else { throw unsafe ConnectionFault.lost(Self.message(handle)) }
        guard last.status != PGRES_FATAL_ERROR else { throw fault(last) }
        return last
    }

    private func nextResult() throws -> QueryResult? {
        while unsafe PQisBusy(handle) == 1 { try receive() }
        return unsafe PQgetResult(handle).map(QueryResult.init)
    }

    /// The error code for a session that was idle too long inside a transaction.
    private static let idleTooLong = "25P03"

    private func fault(_ result: QueryResult) -> ConnectionFault {
        let code = result.errorCode
        // A server that stops, and a pooler that lost its server, send an error before they close the connection.
        let isOver =
            unsafe PQstatus(handle) == CONNECTION_BAD || code.isEmpty || ["40003", Self.idleTooLong].contains(code)
        if isOver || code.hasPrefix("08") || code.hasPrefix("57P") { return .lost(result.errorMessage) }
        return .refused(code: code, message: result.errorMessage)
    }

    // MARK: - Bytes

    private func receive() throws {
        try unsafe Self.wait(handle, POLLIN, until: patience.deadline)
        guard unsafe PQconsumeInput(handle) == 1 else { throw unsafe ConnectionFault.lost(Self.message(handle)) }
    }

    private func flush() throws {
        while true {
            switch unsafe PQflush(handle) {
            case 0: return
            case 1:
                // The server may wait until the client reads.
                try unsafe Self.wait(handle, POLLIN | POLLOUT, until: patience.deadline)
                guard unsafe PQconsumeInput(handle) == 1 else {
                    throw unsafe ConnectionFault.lost(Self.message(handle))
                }
            default: throw unsafe ConnectionFault.lost(Self.message(handle))
            }
        }
    }

    private static func wait(
        _ handle: OpaquePointer,
        _ events: Int32,
        until deadline: ContinuousClock.Instant
    ) throws {
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw ConnectionFault.silent }
            var descriptor = unsafe pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
            let milliseconds = min(left / Duration.milliseconds(1) + 1, 60_000)
            let count = unsafe poll(&descriptor, 1, Int32(milliseconds))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw ConnectionFault.lost("the system cannot wait for it") }
        }
    }
}

extension [String] {
    /// Texts as C strings, terminated by a null pointer.
    fileprivate func withCStrings<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result) -> Result {
        unsafe map { Array<UInt8>?(Array<UInt8>($0.utf8)) }.withCStrings(body)
    }
}

extension [[UInt8]?] {
    /// Texts as C strings, terminated by a null pointer; empty texts are also null.
    fileprivate func withCStrings<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result) -> Result {
        var bytes: [CChar] = []
        bytes.reserveCapacity(reduce(0) { $0 + ($1?.count ?? 0) + 1 })
        let starts = map { text -> Int? in
            guard let text else { return nil }
            defer {
                unsafe text.withUnsafeBytes { unsafe bytes.append(contentsOf: $0.bindMemory(to: CChar.self)) }
                bytes.append(0)
            }
            return bytes.count
        }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            var pointers = unsafe starts.map { start in
                unsafe start.flatMap { start in unsafe bytes.baseAddress.map { unsafe UnsafePointer($0 + start) } }
            }
            unsafe pointers.append(nil)
            return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
        }
    }
}
