/// All pointers, templates and names of a document with their places in it: what reads them notes them, so that no rule
/// for all of them can leave one out.
struct DescriptionUses {
    /// A value and its place in the document.
    struct Use<Value> {
        var path: String
        var value: Value
    }

    /// All pointers.
    var pointers: [Use<JSONPointer>] = []
    /// All templates, those in texts included.
    var templates: [Use<Template>] = []
    /// The templates among them that are paths.
    var paths: [Use<Template>] = []
    /// The names of headers that are sent.
    var headers: [Use<String>] = []
    /// The names of queries that are sent.
    var queries: [Use<String>] = []
}
