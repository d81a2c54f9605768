import OpenMarket
import OpenMarketDescription

/// All positions that a description names in a document, combined so that one pass finds them all.
///
/// A node is an object or an array; a slot holds a wanted value. Compiled once for each client.
struct MemberTree: Sendable {
    struct Target: Sendable {
        /// The slot of the value; -1 if the value itself is not wanted.
        var slot = -1
        /// The node of the value's members; -1 if none of them is wanted.
        var node = -1
        /// The rank of an array for another reader; -1 if it is not one.
        var array = -1
        /// Whether the other reader also reads an object at this position.
        var isHandedOver = false
    }

    /// An object or an array with wanted members, as ranges of arrays that all nodes share.
    ///
    /// Every row passes here, so its parts avoid reference counting.
    fileprivate struct Node: Sendable {
        /// The targets of the wanted members, in the order of their names.
        var targets: Range<Int>
        var elements: Range<Int>
        /// The slots below this node, which are cleared if the position occurs a second time.
        var slots: Range<Int>
    }

    fileprivate let root: Target
    fileprivate let nodes: [Node]
    private let targets: [Target]
    private let slots: [Int]
    /// The names of the wanted members, for each node.
    private let names: [MemberNames]
    let slotCount: Int

    struct Builder {
        private struct Draft {
            var names: [String] = []
            var targets: [Target] = []
        }

        private let isLoose: Bool
        /// The first has only the root; the others are the nodes in their order.
        private var drafts = [Draft(names: [""], targets: [Target()])]
        private var slotCount = 0

        /// An empty tree; with `isLoose`, names match regardless of case and underscores.
        init(isLoose: Bool) { self.isLoose = isLoose }

        mutating func slot(at place: [String]) -> Int {
            var slot = -1
            change(place) { target, count in
                if target.slot < 0 {
                    target.slot = count
                    count += 1
                }
                slot = target.slot
            }
            return slot
        }

        /// Assigns the array at a path to another reader; with `withObjects`, an object as well.
        mutating func handOver(at place: [String], rank: Int = 0, withObjects: Bool = false) {
            change(place) { target, _ in
                guard target.array < 0 else { return }
                target.array = rank
                target.isHandedOver = withObjects
            }
        }

        private mutating func change(_ place: [String], _ body: (inout Target, inout Int) -> Void) {
            var (draft, index) = (0, 0)
            for name in place {
                if drafts[draft].targets[index].node < 0 {
                    drafts[draft].targets[index].node = drafts.count - 1
                    drafts.append(Draft())
                }
                draft = drafts[draft].targets[index].node + 1
                index = self.index(of: name, in: draft)
            }
            body(&drafts[draft].targets[index], &slotCount)
        }

        private mutating func index(of name: String, in draft: Int) -> Int {
            let spelling = spelling(name)
            if let index = drafts[draft].names.firstIndex(where: { self.spelling($0) == spelling }) { return index }
            drafts[draft].names.append(name)
            drafts[draft].targets.append(Target())
            return drafts[draft].names.count - 1
        }

        private func spelling(_ name: String) -> [UInt8] {
            isLoose ? Array(name.lowercased().utf8.filter { $0 != UInt8(ascii: "_") }) : Array(name.utf8)
        }

        func tree() -> MemberTree {
            var targets: [Target] = []
            var slots: [Int] = []
            func range<Element>(of new: [Element], in all: inout [Element]) -> Range<Int> {
                all += new
                return all.count - new.count..<all.count
            }
            let nodes = drafts.dropFirst().map { draft in
                Node(
                    targets: range(of: draft.targets, in: &targets),
                    elements: range(of: elements(of: draft), in: &targets),
                    slots: range(of: draft.targets.flatMap(self.slots), in: &slots)
                )
            }
            return MemberTree(
                root: drafts[0].targets[0],
                nodes: nodes,
                targets: targets,
                slots: slots,
                names: drafts.dropFirst().map { MemberNames($0.names, isLoose: isLoose) },
                slotCount: slotCount
            )
        }

        private func elements(of draft: Draft) -> [Target] {
            var elements: [Target] = []
            for (name, target) in zip(draft.names, draft.targets) {
                guard let index = Int(name), index >= 0, index <= 31, String(index) == name else { continue }
                while elements.count <= index { elements.append(Target()) }
                elements[index] = target
            }
            return elements
        }

        private func slots(of target: Target) -> [Int] {
            (target.slot < 0 ? [] : [target.slot])
                + (target.node < 0 ? [] : drafts[target.node + 1].targets.flatMap(slots))
        }
    }
}

/// Reads the parts of a document that are not stored as values: the rows of a page, the product of a detail.
protocol NestedReader: ~Copyable {
    mutating func take(_ rank: Int, _ reader: inout JSONReader) throws(JSONError)
}

struct NoArrays: NestedReader {
    mutating func take(_ rank: Int, _ reader: inout JSONReader) throws(JSONError) { try reader.skipValue() }
}

extension MemberTree {
    /// Reads the next value and stores its wanted parts.
    ///
    /// Hot path: every row of the list passes here without an allocation. If members have the same name, the last one
    /// counts. Throws ``JSONError`` if the JSON is malformed.
    func read(_ reader: inout JSONReader, into values: inout MemberValues) throws(JSONError) {
        var none = NoArrays()
        try read(&reader, into: &values, arrays: &none)
    }

    /// Reads the next value, with another reader for arrays; throws ``JSONError``.
    func read<Arrays: NestedReader & ~Copyable>(
        _ reader: inout JSONReader,
        into values: inout MemberValues,
        arrays: inout Arrays
    ) throws(JSONError) {
        values.clear()
        // Usually a row of a list: an object without stored values yet.
        if root.node >= 0, root.slot < 0, root.array < 0, try reader.peek() == .object {
            try readMembers(root.node, &reader, &values, &arrays)
        } else {
            try read(root, &reader, &values, &arrays)
        }
    }

    private func read<Arrays: NestedReader & ~Copyable>(
        _ target: Target,
        _ reader: inout JSONReader,
        _ values: inout MemberValues,
        _ arrays: inout Arrays
    ) throws(JSONError) {
        if target.node < 0, target.array < 0 {
            guard target.slot >= 0 else { return try reader.skipValue() }
            return try values.hold(target.slot, &reader)
        }
        let kind = try reader.peek()
        let start = reader.offset
        if target.array >= 0, kind == .array || target.isHandedOver && kind == .object {
            try arrays.take(target.array, &reader)
        } else if target.node >= 0, kind == .object || kind == .array {
            clear(target.node, &values, isCovered: kind == .array)
            if kind == .object {
                try readMembers(target.node, &reader, &values, &arrays)
            } else {
                try readElements(target.node, &reader, &values, &arrays)
            }
        } else {
            if target.node >= 0 { clear(target.node, &values, isCovered: true) }
            guard target.slot >= 0 else { return try reader.skipValue() }
            return try values.hold(target.slot, &reader)
        }
        if target.slot >= 0 { values.hold(target.slot, kind, reader.text(from: start)) }
    }

    private func clear(_ node: Int, _ values: inout MemberValues, isCovered: Bool) {
        for index in nodes[node].slots { values.clear(slots[index], isCovered: isCovered) }
    }

    private func readMembers<Arrays: NestedReader & ~Copyable>(
        _ index: Int,
        _ reader: inout JSONReader,
        _ values: inout MemberValues,
        _ arrays: inout Arrays
    ) throws(JSONError) {
        let places = nodes[index].targets
        try values.beginObject(index, &reader)
        while let place = try values.nextName(of: names, index, &reader) {
            if place < 0 {
                try reader.skipValue()
            } else if place < places.count {
                try read(targets[places.lowerBound + place], &reader, &values, &arrays)
            } else {
                try readOther(targets[places.lowerBound + place - places.count], &reader, &values, &arrays)
            }
        }
    }

    /// Reads a member whose spelling differs from the description, unless one with the described spelling was read.
    private func readOther<Arrays: NestedReader & ~Copyable>(
        _ target: Target,
        _ reader: inout JSONReader,
        _ values: inout MemberValues,
        _ arrays: inout Arrays
    ) throws(JSONError) {
        guard !isHeldAsDescribed(target, values) else { return try reader.skipValue() }
        try read(target, &reader, &values, &arrays)
        if target.slot >= 0 { values.markOther(target.slot) }
        guard target.node >= 0 else { return }
        for index in nodes[target.node].slots { values.markOther(slots[index]) }
    }

    /// Whether a value of the target came from a member with the described spelling.
    private func isHeldAsDescribed(_ target: Target, _ values: borrowing MemberValues) -> Bool {
        if target.slot >= 0, values.isHeldAsDescribed(target.slot) { return true }
        guard target.node >= 0 else { return false }
        for index in nodes[target.node].slots where values.isHeldAsDescribed(slots[index]) { return true }
        return false
    }

    private func readElements<Arrays: NestedReader & ~Copyable>(
        _ index: Int,
        _ reader: inout JSONReader,
        _ values: inout MemberValues,
        _ arrays: inout Arrays
    ) throws(JSONError) {
        let elements = nodes[index].elements
        var place = elements.lowerBound
        try reader.beginArray()
        while try reader.nextElement() {
            if place < elements.upperBound {
                try read(targets[place], &reader, &values, &arrays)
            } else {
                try reader.skipValue()
            }
            place += 1
        }
    }
}

struct ScalarSlot {
    enum Kind: UInt8 {
        case absent
        case null, text, number, truth, array, object
        case brokenText
    }

    var kind = Kind.absent
    /// The number; `nil` if it exceeds the representable range.
    var number: ExactDecimal?
    /// A text without its quotes; the source text of anything else.
    var text = JSONText()
    /// Whether the spelling of its member differs from the description's.
    var isOther = false
    /// Whether the member's parent is present, but is null, empty or not a container.
    var isCovered = false

    /// Whether the member is missing and its parent is not just empty.
    var isMissing: Bool { kind == .absent && !isCovered }
    var isPresent: Bool { kind != .absent && kind != .null }
    var isScalar: Bool { kind == .text || kind == .number || kind == .truth }
}

/// The stored values of one object, in the slots of a ``MemberTree``.
///
/// The objects of one text all reuse the memory, and text values refer to positions in that text.
@safe
struct MemberValues: ~Copyable {
    private let values: UnsafeMutablePointer<ScalarSlot>
    private let count: Int
    /// The order of the members in the objects of each node.
    private let orders: UnsafeMutablePointer<JSONNameOrder>
    private let nodeCount: Int

    init(for tree: MemberTree) {
        count = tree.slotCount
        unsafe values = .allocate(capacity: max(1, count))
        unsafe values.initialize(repeating: ScalarSlot(), count: max(1, count))
        nodeCount = tree.nodes.count
        unsafe orders = .allocate(capacity: max(1, nodeCount))
        unsafe orders.initialize(repeating: JSONNameOrder(), count: nodeCount)
    }

    deinit {
        unsafe values.deallocate()
        unsafe orders.deinitialize(count: nodeCount)
        unsafe orders.deallocate()
    }

    subscript(slot: Int) -> ScalarSlot {
        precondition(slot >= 0 && slot < count)
        return unsafe values[slot]
    }

    /// The text in a slot; `nil` if there is none.
    @inline(__always)
    func text(_ slot: Int) -> JSONText? {
        precondition(slot >= 0 && slot < count)
        return unsafe values[slot].kind == .text ? values[slot].text : nil
    }

    /// The number in a slot; `nil` if there is none, or if it is too long.
    @inline(__always)
    func number(_ slot: Int) -> ExactDecimal? {
        precondition(slot >= 0 && slot < count)
        return unsafe values[slot].kind == .number ? values[slot].number : nil
    }

    fileprivate mutating func clear() {
        for slot in 0..<count { clear(slot, isCovered: false) }
    }

    fileprivate mutating func clear(_ slot: Int, isCovered: Bool) {
        unsafe values[slot].kind = .absent
        unsafe values[slot].isCovered = isCovered
    }

    fileprivate func isHeldAsDescribed(_ slot: Int) -> Bool {
        unsafe values[slot].kind != .absent && !values[slot].isOther
    }

    fileprivate mutating func markOther(_ slot: Int) { unsafe values[slot].isOther = true }

    fileprivate mutating func beginObject(_ node: Int, _ reader: inout JSONReader) throws(JSONError) {
        try unsafe reader.beginObject(in: &orders[node])
    }

    fileprivate mutating func nextName(
        of names: [MemberNames],
        _ node: Int,
        _ reader: inout JSONReader
    ) throws(JSONError) -> Int? {
        try unsafe reader.nextName(of: names, node, in: &orders[node])
    }

    fileprivate mutating func hold(_ slot: Int, _ kind: JSONReader.Kind, _ text: JSONText) {
        unsafe values[slot].kind = kind == .object ? .object : .array
        unsafe values[slot].text = text
        unsafe values[slot].isOther = false
    }

    fileprivate mutating func hold(_ slot: Int, _ reader: inout JSONReader) throws(JSONError) {
        let kind = try reader.peek()
        unsafe values[slot].isOther = false
        switch kind {
        case .string:
            do {
                unsafe values[slot].text = try reader.readPeekedText()
                unsafe values[slot].kind = .text
            } catch  where error.kind == .invalidString {
                unsafe values[slot].kind = .brokenText
            }
        case .number:
            let (spelling, value) = try reader.readPeekedNumber()
            unsafe values[slot].text = spelling
            unsafe values[slot].number = value
            unsafe values[slot].kind = .number
        case .bool:
            unsafe values[slot].text = try reader.readSpelling()
            unsafe values[slot].kind = .truth
        case .null:
            try reader.readNull()
            unsafe values[slot].kind = .null
        case .object, .array:
            let start = reader.offset
            try reader.skipValue()
            hold(slot, kind, reader.text(from: start))
        }
    }
}
