/// All pointers, templates and names of a document with their paths in it.
///
/// Reading notes them, so that no rule for all of them can omit one.
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
}
