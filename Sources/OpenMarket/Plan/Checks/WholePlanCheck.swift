/// Checks of a plan as a whole: values that stay altered, several vendors, products that may be renamed.
extension PlanCheck {
    /// Reports products whose sent values the market shows altered, and that the plan does not change.
    static func alteredValues(_ context: Context) -> [Diagnostic] {
        let changed = Set(context.plan.operations.map(\.key))
        let altered = context.entries.rewritten.compactMap { entry -> (key: String, what: String)? in
            guard context.takes(entry.key), !changed.contains(entry.key),
                let live = context.input.live.products[entry.id]
            else {
                return nil
            }
            let left = entry.alterations(context.capabilities).filter { difference in
                let shown = live.values[difference.field]
                return shown == nil || shown == entry.shown[difference.field]
            }
            return left.isEmpty ? nil : (entry.key, left.map(\.description).joined(separator: "; "))
        }
        return [Diagnostic.altered(altered)].compactMap(\.self)
    }

    /// Reports live texts with elements that a shop removes from writes through its API.
    static func markupAtRisk(_ context: Context) -> [Diagnostic] {
        let fields = context.capabilities.htmlFields
        guard !fields.isEmpty else { return [] }
        var found: [(operation: PlannedOperation, element: String)] = []
        for operation in context.plan.changing {
            for change in operation.changes where fields.contains(change.field) {
                guard case .text(let text)? = change.live, let element = HTMLMarkup.unsafeElement(in: text) else {
                    continue
                }
                found.append((operation, element))
            }
        }
        guard let (operation, element) = found.first else { return [] }
        return [
            Diagnostic(
                .warning,
                .markupAtRisk,
                "\(counted(found.count, "text")) on the market \(found.count == 1 ? "has" : "have") elements that a shop may take "
                    + "out when it is written, such as <\(element)> of '\(operation.key)'",
                location: operation.source,
                count: found.count
            )
        ]
    }

    /// Refuses to adopt products of several vendors.
    ///
    /// A seller is one vendor. Without its number, only names decide the adoption, and other sellers may use them too.
    static func severalVendors(_ context: Context) -> [PlanRefusal] {
        guard context.identity.presumed == nil else { return [] }
        let adopted = context.plan.operations.filter { $0.action == .adopt }
        let vendors = Set(adopted.compactMap { $0.id.flatMap { context.input.live.products[$0]?.vendorID } }).sorted()
        guard vendors.count > 1 else { return [] }
        return [
            PlanRefusal(
                "products of the vendors \(vendors.map(String.init).joined(separator: ", ")) would be adopted, and you are one of them",
                override: .vendor
            )
        ]
    }

    /// Proposes `previously:` if one product leaves and one appears with the same pictures, otherwise with the same
    /// name.
    ///
    /// No other product may have the same pictures or name.
    static func possibleRenames(_ context: Context) -> [Diagnostic] {
        guard context.plan.operations.contains(where: { $0.action == .delete }) else { return [] }
        let byPictures = renames(context, by: "pictures", except: []) { operation, entry in
            let pictures = entry.map { $0.applied.images?.digests } ?? operation.newProduct?.pictures.map(\.digest)
            return pictures.flatMap { $0.isEmpty ? nil : $0 }
        }
        let byName = renames(context, by: "name", except: byPictures.keys) { operation, entry in
            entry.map { $0.applied.name ?? operation.name } ?? operation.name
        }
        return byPictures.found + byName.found
    }

    /// Proposes `previously:` for products that leave and appear with the same look, and returns their keys.
    ///
    /// `likeness` is a word for messages; `taken` has keys with a proposal. `look` gets the compared values of an
    /// operation, and of the entry of a leaving product.
    private static func renames<Look: Hashable>(
        _ context: Context,
        by likeness: String,
        except taken: Set<String>,
        _ look: (PlannedOperation, StateEntry?) -> Look?
    ) -> (found: [Diagnostic], keys: Set<String>) {
        var leaving: [Look: [String]] = [:]
        for operation in context.plan.operations where operation.action == .delete && !taken.contains(operation.key) {
            guard let entry = context.entries[operation.key], let look = look(operation, entry) else { continue }
            leaving[look, default: []].append(operation.key)
        }
        guard !leaving.isEmpty else { return ([], taken) }
        var appearing: [Look: [PlannedOperation]] = [:]
        for operation in context.plan.operations where operation.action == .create && !taken.contains(operation.key) {
            guard let look = look(operation, nil), leaving[look] != nil else { continue }
            appearing[look, default: []].append(operation)
        }
        var (found, taken) = ([Diagnostic](), taken)
        for (look, operations) in appearing.sorted(by: { $0.value[0].key < $1.value[0].key }) {
            guard operations.count == 1, let old = leaving[look], old.count == 1 else { continue }
            let new = operations[0]
            found.append(
                Diagnostic(
                    .warning,
                    .possibleRename,
                    "'\(old[0])' leaves and '\(new.key)' appears with the same "
                        + (likeness == "pictures" && new.pictures.count == 1 ? "picture" : likeness),
                    location: new.source,
                    help: "did you mean `previously: [\(old[0])]`? It keeps the product, its id and its link"
                )
            )
            taken.formUnion([old[0], new.key])
        }
        return (found, taken)
    }
}
