import OpenMarket
import YAML

/// All pointers, templates and names of a document with their paths in it.
///
/// Reading records them, so that no rule for all of them can omit one.
struct DescriptionUses {
    struct Use<Value> {
        var path: String
        var value: Value
    }

    var pointers: [Use<JSONPointer>] = []
    /// All templates, including those in texts.
    var templates: [Use<Template>] = []
    var paths: [Use<Template>] = []
    var headers: [Use<String>] = []
    var queries: [Use<String>] = []

    init(_ notes: [SchemaReader.Note]) {
        for note in notes {
            switch note.value {
            case let pointer as JSONPointer: pointers.append(Use(path: note.path, value: pointer))
            case let template as Template: templates.append(Use(path: note.path, value: template))
            case let path as RequestPath: paths.append(Use(path: note.path, value: path.template))
            case SentName.header(let name) as SentName: headers.append(Use(path: note.path, value: name))
            case SentName.query(let name) as SentName: queries.append(Use(path: note.path, value: name))
            default: break
            }
        }
    }

    /// The faults of pointers that their syntax does not exclude.
    static func pointerFaults(_ notes: [SchemaReader.Note]) -> [Problem] {
        var faults: [Problem] = []
        var counts: [Substring: Int] = [:]
        for note in notes {
            guard let pointer = note.value as? JSONPointer else { continue }
            func report(_ message: String) {
                faults.append(Problem(.rule, message, path: note.path, position: note.position))
            }
            for case .member(let name) in pointer.tokens {
                if name == "-" {
                    report("'-' is the empty place behind the end of an array")
                } else if name.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
                    Int(name).map({ $0 > JSONPointer.lastIndex }) ?? true
                {
                    report("a pointer names at most the element \(JSONPointer.lastIndex) of an array")
                }
            }
            let section = note.path.prefix { $0 != "." && $0 != "[" }
            counts[section, default: 0] += 1
            if counts[section] == MarketLanguage.mostPointers + 1 {
                report("'\(section)' has more than \(MarketLanguage.mostPointers) pointers")
            }
        }
        return faults
    }
}

struct RequestPath {
    var template: Template
}

/// A name that requests contain.
enum SentName {
    case header(String)
    case query(String)
}
