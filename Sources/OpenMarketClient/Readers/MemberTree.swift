import OpenMarket
import OpenMarketDescription

/// The places that a description names in a document, put together so that one reading finds them all.
///
/// A node is an object or an array, a slot is a value that is wanted. Compiled once for each client.
struct MemberTree: Sendable {
    /// What is at a place.
    struct Target: Sendable {
        /// Where its value is held; -1 where it is not wanted itself.
        var slot = -1
        /// The node of its members; -1 where none of them is wanted.
        var node = -1
        /// The rank of an array that another reader reads; -1 where it is not one.
        var array = -1
        /// Whether another reader reads an object there, too.
        var isHandedOver = false
    }

    /// An object or an array with members that are wanted, as ranges of what all nodes share: each row passes here, and
    /// nothing of it is counted by reference.
    fileprivate struct Node: Sendable {
        /// What is at the members that are wanted, in the order of their names.
        var targets: Range<Int>
        /// What is at the first elements of an array.
        var elements: Range<Int>
        /// The slots below, which are empty again when the place comes a second time.
        var slots: Range<Int>
    }

    fileprivate let root: Target
    fileprivate let nodes: [Node]
    private let targets: [Target]
    private let slots: [Int]
    /// Of each node the names of the members that are wanted.
    private let names: [MemberNames]
    /// How many values are held.
    let slotCount: Int

    /// Collects the places.
    struct Builder {
        private struct Draft {
            var names: [String] = []
            var targets: [Target] = []
        }

        private let isLoose: Bool
        private var root = Target()
        private var drafts: [Draft] = []
        private var slotCount = 0

        /// A tree that wants nothing yet.
        ///
        /// - Parameter isLoose: whether case and underscores of names do not count.
        init(isLoose: Bool) { self.isLoose = isLoose }

        /// The slot of the value at a place.
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

        /// Has the array at a place read by another reader, or whatever has members.
        mutating func handOver(at place: [String], rank: Int = 0, withObjects: Bool = false) {
            change(place) { target, _ in
                guard target.array < 0 else { return }
                target.array = rank
                target.isHandedOver = withObjects
            }
        }

        private mutating func change(_ place: [String], _ body: (inout Target, inout Int) -> Void) {
            guard let last = place.last else { return body(&root, &slotCount) }
            var node = node(of: \.root)
            for name in place.dropLast() { node = self.node(of: name, in: node) }
            let index = index(of: last, in: node)
            body(&drafts[node].targets[index], &slotCount)
        }

        private mutating func node(of place: WritableKeyPath<Self, Target>) -> Int {
            if self[keyPath: place].node < 0 {
                self[keyPath: place].node = drafts.count
                drafts.append(Draft())
            }
            return self[keyPath: place].node
        }

        private mutating func node(of name: String, in node: Int) -> Int {
            let index = index(of: name, in: node)
            if drafts[node].targets[index].node < 0 {
                drafts[node].targets[index].node = drafts.count
                drafts.append(Draft())
            }
            return drafts[node].targets[index].node
        }

        private mutating func index(of name: String, in node: Int) -> Int {
            let spelling = spelling(name)
            if let index = drafts[node].names.firstIndex(where: { self.spelling($0) == spelling }) { return index }
            drafts[node].names.append(name)
            drafts[node].targets.append(Target())
            return drafts[node].names.count - 1
        }

        private func spelling(_ name: String) -> [UInt8] {
            isLoose ? Array(name.lowercased().utf8.filter { $0 != UInt8(ascii: "_") }) : Array(name.utf8)
        }

        /// The tree of the places.
        func tree() -> MemberTree {
            var targets: [Target] = []
            var slots: [Int] = []
            func range<Element>(of new: [Element], in all: inout [Element]) -> Range<Int> {
                all += new
                return all.count - new.count..<all.count
            }
            let nodes = drafts.map { draft in
                Node(
                    targets: range(of: draft.targets, in: &targets),
                    elements: range(of: elements(of: draft), in: &targets),
                    slots: range(of: draft.targets.flatMap(self.slots), in: &slots)
                )
            }
            return MemberTree(
                root: root,
                nodes: nodes,
                targets: targets,
                slots: slots,
                names: drafts.map { MemberNames($0.names, isLoose: isLoose) },
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
                + (target.node < 0 ? [] : drafts[target.node].targets.flatMap(slots))
        }
    }
}

/// Reads what of a document is not held as values: the rows of a page, the product of a detail.
protocol ArrayTaker: ~Copyable {
    /// Reads what comes next.
    mutating func take(_ rank: Int, _ reader: inout JSONReader) throws(JSONError)
}

/// Where there is nothing of that kind.
struct NoArrays: ArrayTaker {
    mutating func take(_ rank: Int, _ reader: inout JSONReader) throws(JSONError) { try reader.skipValue() }
}

extension MemberTree {
    /// Reads the value that comes next, and holds what is wanted of it.
    ///
    /// Hot: every row of the list passes here, and nothing is allocated for it. Of members with one name the last counts.
    ///
    /// - Throws: ``JSONError`` when the text itself is broken.
    func read(_ reader: inout JSONReader, into values: inout MemberValues) throws(JSONError) {
        var none = NoArrays()
        try read(&reader, into: &values, arrays: &none)
    }

    /// The same, where arrays are read by another reader.
    ///
    /// - Throws: ``JSONError``.
    func read<Arrays: ArrayTaker & ~Copyable>(
        _ reader: inout JSONReader,
        into values: inout MemberValues,
        arrays: inout Arrays
    ) throws(JSONError) {
        values.clear()
        // Mostly the rows of a list: objects, of which nothing was held yet.
        if root.node >= 0, root.slot < 0, root.array < 0, try reader.peek() == .object {
            try readMembers(root.node, &reader, &values, &arrays)
        } else {
            try read(root, &reader, &values, &arrays)
        }
    }

    private func read<Arrays: ArrayTaker & ~Copyable>(
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
            clear(target.node, &values)
            if kind == .object {
                try readMembers(target.node, &reader, &values, &arrays)
            } else {
                try readElements(target.node, &reader, &values, &arrays)
            }
        } else {
            if target.node >= 0 { clear(target.node, &values) }
            guard target.slot >= 0 else { return try reader.skipValue() }
            return try values.hold(target.slot, &reader)
        }
        if target.slot >= 0 { values.hold(target.slot, kind, reader.text(from: start)) }
    }

    private func clear(_ node: Int, _ values: inout MemberValues) {
        for index in nodes[node].slots { values.clear(slots[index]) }
    }

    private func readMembers<Arrays: ArrayTaker & ~Copyable>(
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

    /// Reads a member that is spelled otherwise than in the description, unless one was there that is spelled so.
    private func readOther<Arrays: ArrayTaker & ~Copyable>(
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

    /// Whether something of a target was held of a member in the spelling of the description.
    private func isHeldAsDescribed(_ target: Target, _ values: borrowing MemberValues) -> Bool {
        if target.slot >= 0, values.isHeldAsDescribed(target.slot) { return true }
        guard target.node >= 0 else { return false }
        for index in nodes[target.node].slots where values.isHeldAsDescribed(slots[index]) { return true }
        return false
    }

    private func readElements<Arrays: ArrayTaker & ~Copyable>(
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

/// A value of a document, not yet taken for anything.
struct HeldValue {
    /// What it is.
    enum Kind: UInt8 {
        /// It is not there.
        case absent
        case null, text, number, truth, array, object
        /// A text that is not UTF-8.
        case brokenText
    }

    /// What it is.
    var kind = Kind.absent
    /// A number, where it fits.
    var number: ExactDecimal?
    /// A text without its quotes; anything else as it is written.
    var text = JSONText()
    /// Whether the member that held it is spelled otherwise than in the description.
    var isOther = false

    /// Whether it is there and not null.
    var isPresent: Bool { kind != .absent && kind != .null }
    /// Whether it is a text, a number, or true or false.
    var isScalar: Bool { kind == .text || kind == .number || kind == .truth }
}

/// The values that are held of one object of a ``MemberTree``.
///
/// For the objects of one text: the memory is used again for each, and texts are where they are in it.
@safe
struct MemberValues: ~Copyable {
    private let values: UnsafeMutablePointer<HeldValue>
    private let count: Int
    /// In which order the objects of each node name their members.
    private let orders: UnsafeMutablePointer<JSONNameOrder>
    private let nodeCount: Int

    /// Room for the values of a tree.
    init(for tree: MemberTree) {
        count = tree.slotCount
        unsafe values = .allocate(capacity: max(1, count))
        unsafe values.initialize(repeating: HeldValue(), count: max(1, count))
        nodeCount = tree.nodes.count
        unsafe orders = .allocate(capacity: max(1, nodeCount))
        unsafe orders.initialize(repeating: JSONNameOrder(), count: nodeCount)
    }

    deinit {
        unsafe values.deallocate()
        unsafe orders.deinitialize(count: nodeCount)
        unsafe orders.deallocate()
    }

    /// The value of a slot.
    subscript(slot: Int) -> HeldValue {
        precondition(slot >= 0 && slot < count)
        return unsafe values[slot]
    }

    /// The text of a slot; `nil` where it holds none.
    @inline(__always)
    func text(_ slot: Int) -> JSONText? {
        precondition(slot >= 0 && slot < count)
        return unsafe values[slot].kind == .text ? values[slot].text : nil
    }

    /// The number of a slot; `nil` where it holds none, or one that is too long.
    @inline(__always)
    func number(_ slot: Int) -> ExactDecimal? {
        precondition(slot >= 0 && slot < count)
        return unsafe values[slot].kind == .number ? values[slot].number : nil
    }

    /// Begins another text.
    mutating func beginText() {
        for index in 0..<nodeCount { unsafe orders[index].forget() }
    }

    fileprivate mutating func clear() {
        for slot in 0..<count { unsafe values[slot].kind = .absent }
    }

    fileprivate mutating func clear(_ slot: Int) { unsafe values[slot].kind = .absent }

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
