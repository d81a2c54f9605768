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
}

struct RequestPath {
    var template: Template
}

/// A name that requests contain.
enum SentName {
    case header(String)
    case query(String)
}
