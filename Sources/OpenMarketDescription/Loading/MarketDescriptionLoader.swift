import Crypto
package import OpenMarket
import YAML

package enum MarketDescriptionLoader {
    /// The result of reading a document.
    package struct Loaded: Equatable, Sendable {
        /// The description; `nil` if the document has a fault.
        package var description: MarketDescription?
        package var digest: ContentDigest
        /// All faults in the order of the text.
        package var faults: [DescriptionFault]
    }

    /// Deeper nesting than any description has.
    private static let limits = YAMLLimits(
        depth: 16,
        aliasExpansion: MarketLanguage.longestDocument,
        scalarLength: MarketLanguage.longestDocument
    )

    /// Reads a whole document.
    ///
    /// With `isChecked`, it also reports parts that contradict each other, and scalars that other YAML readers take for
    /// something else.
    package static func load(_ bytes: [UInt8], isChecked: Bool = true) -> Loaded {
        var hash = SHA256()
        bytes.withUnsafeBytes { hash.update(bufferPointer: $0) }
        let digest = ContentDigest(bytes: hash.finalize())
        guard bytes.count <= MarketLanguage.longestDocument else {
            let size = MarketLanguage.longestDocument >> 10
            let fault = DescriptionFault(
                kind: .text,
                message: "a description has at most \(size) KiB, and this one is longer",
                path: ""
            )
            return Loaded(description: nil, digest: digest, faults: [fault])
        }
        var reader = DescriptionReader()
        let description = read(bytes, isChecked: isChecked, &reader)
        var faults = reader.faults
        if isChecked, let description {
            faults += DescriptionChecker.findings(in: description, uses: reader.uses)
                .filter { fault in !fault.relies.contains { reader.isSpoilt($0) } }
                .map { reader.placed($0.fault) }
        }
        faults = faults.enumerated().sorted { left, right in
            let origin = SourcePosition(line: 0, column: 0)
            let (one, other) = (left.element.position ?? origin, right.element.position ?? origin)
            return one != other ? one < other : left.offset < right.offset
        }.map(\.element)
        return Loaded(description: faults.isEmpty ? description : nil, digest: digest, faults: faults)
    }

    /// The document as far as it can be read; `nil` if it is not a mapping.
    private static func read(
        _ bytes: [UInt8],
        isChecked: Bool,
        _ reader: inout DescriptionReader
    ) -> MarketDescription? {
        var scan = DocumentScan(bytes, limits: limits)
        if isChecked { scan.run() }
        for fault in scan.faults { reader.add(fault) }
        let reported = Set(scan.faults.map(\.position))
        do throws(YAMLError) {
            var composer = YAMLComposer(YAMLEventReader(bytes, limits: limits))
            guard try composer.start() else {
                reader.add(DescriptionFault(kind: .shape, message: "the document is empty", path: ""))
                return nil
            }
            let node = try composer.compose()
            let faults = composer.takeFaults()
            // Text after the document is a separate fault and does not prevent reading the document.
            do throws(YAMLError) { try composer.finish() } catch { reader.add(DescriptionFault(error)) }
            for fault in faults.map({ DescriptionFault($0) }) where !reported.contains(fault.position) {
                reader.add(fault)
            }
            return reader.section(MarketDescription.self, node)
        } catch {
            let fault = DescriptionFault(error)
            if !reported.contains(fault.position) || scan.faults.isEmpty { reader.add(fault) }
            return nil
        }
    }
}

extension DescriptionFault {
    fileprivate init(_ error: YAMLError) {
        self.init(
            kind: .text,
            message: error.message,
            path: "",
            position: error.position.map { SourcePosition(line: $0.line, column: $0.column) },
            help: error.help
        )
    }
}
