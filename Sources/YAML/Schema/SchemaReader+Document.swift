package import OpenMarket

extension SchemaReader {
    /// Reads the readable parts of a whole document; `nil` if it is not a mapping.
    package mutating func document<Value>(
        _ table: Section<Value>,
        _ bytes: [UInt8],
        limits: YAMLLimits = YAMLLimits()
    ) -> Value? {
        do throws(YAMLError) {
            var composer = YAMLComposer(YAMLEventReader(bytes, limits: limits))
            guard try composer.start() else {
                add(Problem(.shape, "the document is empty"))
                return nil
            }
            let node = try composer.compose()
            let faults = composer.takeFaults()
            // Text after the document is a separate fault and does not prevent reading the document.
            do throws(YAMLError) { try composer.finish() } catch { add(Problem(error)) }
            for fault in faults { add(Problem(fault)) }
            return section(table, node)
        } catch {
            add(Problem(error))
            return nil
        }
    }

    /// All faults in the order of the text.
    package var sortedFaults: [Problem] {
        let origin = SourcePosition(line: 0, column: 0)
        return faults.enumerated().sorted { left, right in
            let (one, other) = (left.element.position ?? origin, right.element.position ?? origin)
            return one != other ? one < other : left.offset < right.offset
        }.map(\.element)
    }
}

extension Section {
    /// Reads a whole document; throws its first fault.
    package func value(of bytes: [UInt8]) throws(Problem) -> Value {
        var reader = SchemaReader()
        let value = reader.document(self, bytes)
        if let fault = reader.faults.first { throw fault }
        guard let value else { throw Problem(.shape, "the document is empty") }
        return value
    }
}

extension Problem {
    init(_ error: YAMLError) {
        self.init(.text, error.message, position: error.position, help: error.help)
    }
}
