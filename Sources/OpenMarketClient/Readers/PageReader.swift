import OpenMarket
import OpenMarketDescription

extension KeptReply {
    fileprivate func values(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

/// The compiled rules for reading the pages of a market's list; a class, so that pages do not copy it.
final class PageLayout: Sendable {
    fileprivate struct Count: Sendable {
        var slot: Int?
        var header: String?
        var after: String?
    }

    fileprivate struct End: Sendable {
        var answer: MarketDescription.List.PastEnd.Answer
        var condition: CompiledCondition?
    }

    fileprivate struct Following: Sendable {
        var slots: [Int] = []
        var header: String?
        var relation: String?
        var isAddress = false
        var ignoresHost = false
    }

    fileprivate let tree: MemberTree
    fileprivate let rows: [Int]
    fileprivate let total: Count?
    fileprivate let lastPage: Count?
    /// The market's number for the first page.
    fileprivate let firstNumber: Int
    fileprivate let size: Int?
    fileprivate let more: Int?
    fileprivate let recognisedBy: [Int]
    fileprivate let ends: [End]
    fileprivate let following: Following?
    fileprivate let isWhole: Bool
    let headers: [String]
    /// The unsuccessful statuses that the market may answer past the last page.
    let endStatuses: [Int]
    /// Whether the market may answer with no content past the last page.
    let answersNoContent: Bool

    init(_ market: MarketDescription, _ parameters: [String: String]) {
        let list = market.list
        var builder = MemberTree.Builder(isLoose: market.names == .loose)
        var headers: [String] = []
        func slot(_ pointer: JSONPointer) -> Int { builder.slot(at: pointer.names(parameters)) }
        func count(_ count: MarketDescription.List.Count?) -> Count? {
            guard let count, count.isOfPage else { return nil }
            if let header = count.header { headers.append(header) }
            return Count(slot: count.place.map(slot), header: count.header, after: count.after)
        }
        for (rank, pointer) in list.rows.enumerated() {
            builder.handOver(at: pointer.names(parameters), rank: rank)
        }
        rows = list.rows.map(slot)
        total = count(list.total)
        lastPage = count(list.lastPage)
        firstNumber = list.page.style == .number ? list.page.first : 1
        size = list.page.size.place.map(slot)
        more = list.more.map(slot)
        recognisedBy = list.recognisedBy.map(slot)
        ends = list.pastEnd.map { end in
            End(
                answer: end.answer,
                condition: end.condition.map { CompiledCondition($0, parameters, slot($0.place)) }
            )
        }
        let next = list.page.next
        switch list.page.style {
        case .cursor, .next:
            following = Following(
                slots: next.places.map(slot),
                header: next.header,
                relation: next.relation,
                isAddress: list.page.style == .next,
                ignoresHost: next.host == .ignored
            )
        case .number, .offset, .keyset, .whole: following = nil
        }
        if let header = following?.header { headers.append(header) }
        isWhole = list.page.style == .whole
        self.headers = headers
        endStatuses = list.pastEnd.compactMap { Int($0.answer.rawValue) }.filter { $0 >= 300 }
        answersNoContent = list.pastEnd.contains { $0.answer == .noContent }
        tree = builder.tree()
    }
}

struct PageReader {
    private let layout: PageLayout
    private let rows: ProductReader
    private let addresses: NextAddress
    private let number: Int

    /// A reader for one page, with its number in reading order, from 1.
    ///
    /// Only an empty first page proves an empty market.
    init(_ wire: MarketWire, page: Int) {
        layout = wire.pages
        rows = wire.products
        addresses = wire.nextAddress
        number = page
    }

    /// Reads a page's body without its rows.
    ///
    /// Throws ``JSONError`` if the text is malformed or truncated.
    func read(_ reply: KeptReply, _ bytes: Span<UInt8>) throws(JSONError) -> LivePage {
        var none = NoRows()
        return try read(reply, bytes, collecting: &none)
    }

    /// Reads a page's body; an empty body is the page past the end, if the market answers so.
    ///
    /// Adds the readable rows to `rows`, which is empty before the call. Throws ``JSONError`` if the text is malformed
    /// or truncated.
    func read<Rows: PageRows>(
        _ reply: KeptReply,
        _ bytes: Span<UInt8>,
        collecting rows: inout Rows
    ) throws(JSONError) -> LivePage {
        guard (200..<300).contains(reply.status) else { return refusal(reply.status, bytes) }
        guard !bytes.isEmpty else {
            var page = LivePage()
            page.provesItsEnd = number > 1 && reply.status == 204 && layout.answersNoContent
            return page
        }
        var taker = RowReader(reader: self.rows, number: number, empty: rows)
        var values = MemberValues(for: layout.tree)
        let layout = layout
        try JSONReader.read(bytes) { reader throws(JSONError) in
            try layout.tree.read(&reader, into: &values, arrays: &taker)
            try reader.finish()
        }
        rows = taker.rows
        var page = taker.page
        page.total = count(layout.total, values, reply)
        // Pages are counted from 1, whatever number the market gives the first one.
        page.lastPage = count(layout.lastPage, values, reply).map { $0 - layout.firstNumber + 1 }
        page.pageSize = layout.size.flatMap { Self.count(values[$0]) }
        if let more = layout.more { Self.read(values[more], asNextOf: &page) }
        // Some servers write an empty list as null; a document without an identifying member may be anything.
        let isRecognised = layout.recognisedBy.isEmpty || layout.recognisedBy.contains { values[$0].kind != .absent }
        page.isPage =
            taker.rank != nil || isRecognised && layout.rows.contains { values[$0].kind == .null }
        guard page.isPage else {
            page.provesItsEnd = false
            return page
        }
        page.next = next(values, reply)
        page.omitsNext = page.next == .none && omitsNext(values)
        page.provesItsEnd = isEnd(page, isRecognised: isRecognised, values)
        return page
    }

    /// Reads whether another page follows: a Boolean, or the next page's address, which is null or empty on the last
    /// page.
    private static func read(_ value: ScalarSlot, asNextOf page: inout LivePage) {
        switch value.kind {
        case .truth: page.hasNext = value.text.withUTF8Span { $0.count == 4 }
        case .text: page.namesNext = !value.text.withUTF8Span { $0.isEmpty }
        case .null: page.namesNext = false
        default: break
        }
        if page.namesNext == true { page.hasNext = true }
        // On a page with rows, only earlier pages show the meaning of null.
        if page.namesNext == false, page.rowCount == 0 { page.hasNext = false }
    }

    /// Whether a page with a list states in the API's own form that it is the last one.
    private func isEnd(_ page: LivePage, isRecognised: Bool, _ values: borrowing MemberValues) -> Bool {
        if page.rowCount == 0 {
            guard isRecognised, page.hasNext != true else { return false }
            // An empty first page means that there are no products. A count, if there is one, has to confirm it.
            if number == 1, layout.total != nil, page.total != 0 { return false }
            let isDescribed = layout.ends.contains { end in
                end.answer == .empty && end.condition?.holds(values) ?? true
            }
            if isDescribed { return true }
        }
        return layout.isWhole || page.hasNext == false || page.next == .none
    }

    /// A refused page: it is past the end if the market answers so.
    private func refusal(_ status: Int, _ bytes: Span<UInt8>) -> LivePage {
        var page = LivePage()
        page.isPage = number > 1 && isPastEnd(status, bytes)
        page.provesItsEnd = page.isPage
        return page
    }

    private func isPastEnd(_ status: Int, _ bytes: Span<UInt8>) -> Bool {
        let ends = layout.ends.filter { $0.answer.rawValue == String(status) }
        guard !ends.isEmpty else { return false }
        // A web page comes from a server in front of the market.
        guard bytes.indices.first(where: { bytes[$0] > 0x20 }).map({ bytes[$0] }) != UInt8(ascii: "<") else {
            return false
        }
        if ends.contains(where: { $0.condition == nil }) { return true }
        var values = MemberValues(for: layout.tree)
        let layout = layout
        let isRead: Void? = try? JSONReader.read(bytes) { reader throws(JSONError) in
            try layout.tree.read(&reader, into: &values)
            try reader.finish()
        }
        guard isRead != nil else { return false }
        return ends.contains { $0.condition?.holds(values) ?? false }
    }

    // MARK: Facts about the list

    private func count(_ count: PageLayout.Count?, _ values: borrowing MemberValues, _ reply: KeptReply) -> Int? {
        guard let count else { return nil }
        if let slot = count.slot { return Self.count(values[slot]) }
        guard let header = count.header, var text = reply.values(header).first.map({ $0[...] }) else { return nil }
        if let after = count.after {
            guard let range = text.ranges(of: after).last else { return nil }
            text = text[range.upperBound...]
        }
        let digits = text.trimmed
        guard !digits.isEmpty, digits.utf8.count <= 12, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(digits)
    }

    private static func count(_ value: ScalarSlot) -> Int? {
        var ignored: [String] = []
        guard let count = LenientValue.whole(.value(value), "", &ignored), (0...1_000_000_000_000).contains(count)
        else {
            return nil
        }
        return Int(count)
    }

    /// Whether the page lacks every member that could contain the next page's address; null counts as present.
    private func omitsNext(_ values: borrowing MemberValues) -> Bool {
        guard let following = layout.following else { return false }
        var index = 0
        while index < following.slots.count {
            if values[following.slots[index]].kind != .absent { return false }
            index += 1
        }
        return true
    }

    private func next(_ values: borrowing MemberValues, _ reply: KeptReply) -> NextPage {
        guard let following = layout.following else { return .unsaid }
        var text: String?
        if let header = following.header {
            // An empty field is an empty list (RFC 9110, 5.6.1).
            let fields = reply.values(header).filter { !$0.trimmed.isEmpty }
            if following.relation != nil, !fields.isEmpty, !fields.contains(where: { $0.contains("<") }) {
                return .refused("its header '\(header)' lacks an address between '<' and '>'")
            }
            text = following.relation.map { NextAddress.link($0, in: fields) } ?? fields.first
        }
        for slot in following.slots where text == nil && values[slot].isPresent {
            switch values[slot].kind {
            case .text, .number: text = values[slot].text.string
            // Some markets mark the last page with `false`.
            case .truth where values[slot].text.withUTF8Span({ $0.count == 5 }): return .none
            default: return .refused("the link to the next page is not a text")
            }
        }
        guard let text, !text.isEmpty else { return .none }
        if following.isAddress { return addresses.checked(text, ignoresHost: following.ignoresHost) }
        return NextAddress.isCursor(text) ? .at(text) : .refused("the next page's token is longer than 4 KiB")
    }
}

private struct RowReader<Rows: PageRows>: ~Copyable, NestedReader {
    let reader: ProductReader
    let number: Int
    let empty: Rows
    var rows: Rows
    var page = LivePage()
    var rank: Int?
    private var memory: ProductReader.Memory

    init(reader: ProductReader, number: Int, empty: Rows) {
        self.reader = reader
        self.number = number
        self.empty = empty
        rows = empty
        memory = ProductReader.Memory(for: reader)
    }

    /// Reads a list; if a page has several, the first in the description counts.
    mutating func take(_ rank: Int, _ json: inout JSONReader) throws(JSONError) {
        if let earlier = self.rank, earlier < rank { return try json.skipValue() }
        self.rank = rank
        page = LivePage()
        // Most pages have at most this many rows.
        page.ids.reserveCapacity(128)
        page.orderKeys.reserveCapacity(128)
        rows = empty
        var order = RepeatedText()
        var faults: [String] = []
        let reader = reader
        page.missing = Set(reader.columns.keys)
        try json.beginArray()
        while try json.nextElement() {
            page.rowCount += 1
            _ = try json.peek()
            let start = json.offset
            var row = LiveRow()
            var marks = ProductReader.Marks()
            let isIdentified = try reader.read(
                &json,
                with: &memory,
                into: &row,
                &marks,
                showing: reader.rowFields,
                &faults
            )
            if !page.missing.isEmpty { reader.strike(memory, from: &page.missing) }
            page.lastKey = marks.last?.string
            if isIdentified {
                if marks.isAbsent { page.absent.append(page.ids.count) }
                page.ids.append(row.id)
                page.orderKeys.append(order.string(marks.order))
                rows.append(row)
            } else {
                page.unreadableRows.append(json.text(from: start).documentHash.value)
            }
            guard !faults.isEmpty else { continue }
            for fault in faults {
                page.problems.append(
                    RowProblem(
                        id: isIdentified ? row.id : nil,
                        name: isIdentified ? nil : row.name?.string,
                        place: isIdentified ? "product \(row.id)" : "page \(number), row \(page.rowCount)",
                        message: fault
                    )
                )
            }
            faults.removeAll(keepingCapacity: true)
        }
    }
}

/// Uses one string for consecutive equal texts, as most dates are.
private struct RepeatedText {
    private var last: (text: JSONText, string: String)?

    mutating func string(_ text: JSONText?) -> String? {
        guard let text else { return nil }
        if let last, last.text.isSpelled(like: text) { return last.string }
        let string = text.string
        last = (text, string)
        return string
    }
}

private struct NoRows: PageRows {
    private(set) var count = 0

    mutating func append(_ row: LiveRow) { count += 1 }
    mutating func append(_ product: LiveProduct) { count += 1 }
    mutating func keep(_ places: [Int]) { count = places.count }
}
