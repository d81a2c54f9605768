import YAML

/// A part of a manifest file before it is decoded.
enum ManifestPiece: Sendable {
    case root(YAMLNode)
    /// A section or another top-level key.
    case section(YAMLNode.Key, YAMLNode)
    case products(YAMLItems)
    /// The YAML errors of the last product read.
    case productFaults([YAMLError])
    case endOfProducts
    /// The YAML errors elsewhere.
    case faults([YAMLError])
    /// The error that ended reading early.
    case failure(YAMLError)
}

struct ManifestBatch: Sendable {
    var pieces: [ManifestPiece] = []
    /// The bytes read since the previous batch.
    var chunks: [[UInt8]] = []
    /// The number of bytes of the file read so far.
    var bytesRead = 0
    var isLast = false
}

/// Splits a manifest file into sections and products as composed nodes, a batch at a time.
///
/// This half of reading does not interpret values and is as fast as libyaml; ``ManifestDecoder`` is the other half.
/// Each works on one batch, so both can run at the same time and no file is held whole.
struct ManifestReader: ~Copyable {
    private enum Stage {
        case beginning, sections, products, end
    }

    private let input: ManifestInput
    private var composer: YAMLComposer
    private var stage = Stage.beginning
    /// The top-level entries that `<<` merges.
    private var merged: [YAMLNode.Pair] = []
    private var here: Set<String> = []

    /// The approximate bytes of composed products in a batch: large enough that passing it on is cheap, small enough
    /// for the caches.
    private static let batchSize = 1 << 18

    init(_ input: ManifestInput) {
        self.input = input
        composer = YAMLComposer(YAMLEventReader { () throws(YAMLError) -> [UInt8] in try input.nextChunk() })
    }

    /// The next pieces; none after the last.
    mutating func next() -> ManifestBatch {
        var batch = ManifestBatch()
        do throws(YAMLError) {
            while stage != .end, composer.itemSize < Self.batchSize { try read(into: &batch) }
        } catch {
            stage = .end
            takeProducts(into: &batch)
            takeFaults(into: &batch)
            batch.pieces.append(.failure(error))
        }
        takeProducts(into: &batch)
        batch.isLast = stage == .end
        batch.chunks = input.takeChunks()
        batch.bytesRead = input.bytesRead
        return batch
    }

    private mutating func takeProducts(into batch: inout ManifestBatch) {
        if composer.itemSize > 0 { batch.pieces.append(.products(composer.takeItems())) }
    }

    private mutating func takeFaults(into batch: inout ManifestBatch) {
        let faults = composer.takeFaults()
        if !faults.isEmpty { batch.pieces.append(.faults(faults)) }
    }

    private mutating func read(into batch: inout ManifestBatch) throws(YAMLError) {
        switch stage {
        case .beginning: try readBeginning(into: &batch)
        case .sections: try readSection(into: &batch)
        case .products: try readProduct(into: &batch)
        case .end: break
        }
    }

    private mutating func readBeginning(into batch: inout ManifestBatch) throws(YAMLError) {
        guard try composer.start() else {
            stage = .end
            return
        }
        guard composer.isAtMapping else {
            batch.pieces.append(.root(try composer.compose()))
            return try finish(into: &batch)
        }
        try composer.enterMapping()
        stage = .sections
    }

    private mutating func readSection(into batch: inout ManifestBatch) throws(YAMLError) {
        guard let key = try composer.nextKey() else {
            for pair in merged where here.insert(pair.key.name).inserted {
                batch.pieces.append(.section(pair.key, pair.value))
            }
            return try finish(into: &batch)
        }
        if key.isPlain, key.name == "<<" {
            let node = try composer.compose()
            for mapping in node.items ?? [node] { merged += mapping.pairs ?? [] }
            return
        }
        here.insert(key.name)
        if key.name == ManifestSchema.Section.products.rawValue, composer.isAtSequence {
            try composer.enterSequence()
            stage = .products
            return
        }
        batch.pieces.append(.section(key, try composer.compose()))
        takeFaults(into: &batch)
    }

    private mutating func readProduct(into batch: inout ManifestBatch) throws(YAMLError) {
        guard try composer.hasNextItem() else {
            takeProducts(into: &batch)
            batch.pieces.append(.endOfProducts)
            takeFaults(into: &batch)
            stage = .sections
            return
        }
        try composer.composeItem()
        let faults = composer.takeFaults()
        guard !faults.isEmpty else { return }
        takeProducts(into: &batch)
        batch.pieces.append(.productFaults(faults))
    }

    private mutating func finish(into batch: inout ManifestBatch) throws(YAMLError) {
        try composer.finish()
        takeFaults(into: &batch)
        stage = .end
    }
}

/// A ``ManifestReader`` that reads while another task decodes.
actor BackgroundReader {
    private var reader: ManifestReader

    init(_ input: sending ManifestInput) { reader = ManifestReader(input) }

    func next() -> ManifestBatch { reader.next() }
}
