import CLibYAML
package import OpenMarket

/// Reads a YAML text event by event.
///
/// There is one event at a time: ``next()`` replaces it, so its values must be read before. The reader owns libyaml's
/// parser and the source of the bytes, so libyaml's pointers stay valid while it reads.
package struct YAMLEventReader: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let event: UnsafeMutablePointer<yaml_event_t>
    private let input: YAMLInput

    let limits: YAMLLimits

    /// The end of the previous event, for faults without their own position.
    private var lastEnd = yaml_mark_t()

    package private(set) var kind = YAMLEventKind.streamStart

    /// Reads a text in chunks, fetched on demand; `chunks` returns the next bytes at each call, none at the end.
    package init(limits: YAMLLimits = YAMLLimits(), chunks: @escaping () throws(YAMLError) -> [UInt8]) {
        self.limits = limits
        parser = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        event = .allocate(capacity: 1)
        event.initialize(to: yaml_event_t())
        input = YAMLInput(limit: limits.silentLength, fetch: chunks)
        // Fails only if memory is exhausted, which ends every Swift program.
        precondition(yaml_parser_initialize(parser) == 1, "out of memory")
        yaml_parser_set_input(
            parser,
            { data, buffer, size, count in
                guard let data, let buffer, let count else { return 0 }
                let input = Unmanaged<YAMLInput>.fromOpaque(data).takeUnretainedValue()
                let target = UnsafeMutableRawBufferPointer(start: buffer, count: size)
                return input.read(into: target, count: &count.pointee) ? 1 : 0
            },
            Unmanaged.passUnretained(input).toOpaque()
        )
    }

    package init(_ bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) {
        var rest: [UInt8]? = bytes
        self.init(limits: limits) { () throws(YAMLError) -> [UInt8] in
            defer { rest = nil }
            return rest ?? []
        }
    }

    deinit {
        yaml_event_delete(event)
        yaml_parser_delete(parser)
        event.deinitialize(count: 1)
        event.deallocate()
        parser.deinitialize(count: 1)
        parser.deallocate()
    }

    /// Moves to the next event; stays at ``YAMLEventKind/streamEnd``.
    @discardableResult
    package mutating func next() throws(YAMLError) -> YAMLEventKind {
        lastEnd = event.pointee.end_mark
        yaml_event_delete(event)
        let succeeded = withExtendedLifetime(input) { yaml_parser_parse(parser, event) }
        guard succeeded == 1 else { throw failure() }
        input.silentLength = 0
        switch event.pointee.type {
        case YAML_SCALAR_EVENT: kind = .scalar
        case YAML_MAPPING_START_EVENT: kind = .mappingStart
        case YAML_MAPPING_END_EVENT: kind = .mappingEnd
        case YAML_SEQUENCE_START_EVENT: kind = .sequenceStart
        case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
        case YAML_ALIAS_EVENT: kind = .alias
        case YAML_STREAM_START_EVENT: kind = .streamStart
        case YAML_DOCUMENT_START_EVENT: kind = .documentStart
        case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
        default: kind = .streamEnd
        }
        return kind
    }

    package var start: SourcePosition { SourcePosition(event.pointee.start_mark) }

    /// The position just after the event's last character.
    package var end: SourcePosition { SourcePosition(event.pointee.end_mark) }

    /// The length of a scalar in bytes; 0 for every other event.
    var scalarLength: Int {
        kind == .scalar ? event.pointee.data.scalar.length : 0
    }

    /// The text of a scalar, which may contain NUL; empty for every other event.
    package var text: String { String(decoding: textBytes, as: UTF8.self) }

    /// The bytes of ``text``; libyaml owns them, and frees them with the event.
    var textBytes: UnsafeBufferPointer<UInt8> {
        guard kind == .scalar else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(start: event.pointee.data.scalar.value, count: event.pointee.data.scalar.length)
    }

    package var style: YAMLScalarStyle {
        guard kind == .scalar else { return .plain }
        return switch event.pointee.data.scalar.style {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE: .singleQuoted
        case YAML_DOUBLE_QUOTED_SCALAR_STYLE: .doubleQuoted
        case YAML_LITERAL_SCALAR_STYLE: .literal
        case YAML_FOLDED_SCALAR_STYLE: .folded
        default: .plain
        }
    }

    /// Whether a starting list or mapping is in `[…]` or `{…}`.
    package var isFlow: Bool {
        switch kind {
        case .sequenceStart: event.pointee.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
        case .mappingStart: event.pointee.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
        default: false
        }
    }

    /// The written tag of a node: `!env`, or in full such as `tag:yaml.org,2002:str`; `nil` if there is none.
    package var tag: String? {
        let pointer: UnsafeMutablePointer<yaml_char_t>? =
            switch kind {
            case .scalar: event.pointee.data.scalar.tag
            case .sequenceStart: event.pointee.data.sequence_start.tag
            case .mappingStart: event.pointee.data.mapping_start.tag
            default: nil
            }
        return pointer.map { String(cString: $0) }
    }

    /// The anchor of a node, or the name that an alias refers to.
    package var anchor: String? {
        let pointer: UnsafeMutablePointer<yaml_char_t>? =
            switch kind {
            case .scalar: event.pointee.data.scalar.anchor
            case .sequenceStart: event.pointee.data.sequence_start.anchor
            case .mappingStart: event.pointee.data.mapping_start.anchor
            case .alias: event.pointee.data.alias.anchor
            default: nil
            }
        return pointer.map { String(cString: $0) }
    }

    private func failure() -> YAMLError {
        if var failure = input.failure {
            if failure.kind == .limit { failure.position = SourcePosition(lastEnd) }
            return failure
        }
        let problem = parser.pointee.problem.map { String(cString: $0) } ?? "this is not YAML"
        switch parser.pointee.error {
        case YAML_READER_ERROR:
            return .explainedEncoding(
                problem: problem,
                offset: parser.pointee.problem_offset,
                value: parser.pointee.problem_value
            )
        case YAML_MEMORY_ERROR:
            return YAMLError(.limit, "there is not enough memory to read this")
        default:
            let isBuffered = parser.pointee.buffer.pointer != parser.pointee.buffer.last
            return YAMLError(
                .syntax,
                problem,
                at: SourcePosition(parser.pointee.problem_mark),
                context: parser.pointee.context.map { String(cString: $0) },
                contextPosition: SourcePosition(parser.pointee.context_mark)
            ).explained(at: isBuffered ? parser.pointee.buffer.pointer.pointee : 0)
        }
    }
}

extension SourcePosition {
    /// From libyaml's mark, which counts from 0.
    init(_ mark: yaml_mark_t) {
        self.init(line: UInt32(clamping: mark.line &+ 1), column: UInt32(clamping: mark.column &+ 1))
    }
}
