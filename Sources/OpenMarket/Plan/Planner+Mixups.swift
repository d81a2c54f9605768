/// Products that are mistaken for each other: texts that move between them, an `id` of another product.
extension Planner {
    /// Refuses a plan in which products get each other's texts: rows slid, or one column was sorted without the others.
    ///
    /// Changes that were made only on the market are not caused by the file.
    mutating func refuseWanderingTexts() {
        for field in [ProductField.name, .description] {
            var texts: [(operation: Int, old: String, new: String)] = []
            for (index, operation) in plan.operations.enumerated() {
                guard let change = operation.changes.first(where: { $0.field == field }), change.kind != .drift,
                    case .text(let old)? = change.base ?? change.live, case .text(let new)? = change.manifest
                else { continue }
                texts.append((index, old, new))
            }
            guard texts.count > 1 else { continue }
            // If several products have one text, the first represents all of them.
            let owners = Dictionary(texts.map { (ExactText($0.old), $0.operation) }) { first, _ in first }
            let moved = texts.filter { text in owners[ExactText(text.new)].map { $0 != text.operation } ?? false }
            guard moved.count > 1, let first = moved.first, let owner = owners[ExactText(first.new)] else { continue }
            let operation = plan.operations[first.operation]
            plan.refusals.append(
                PlanRefusal(
                    "\(moved.count) products would get the \(field.rawValue)s that others of them have, "
                        + "'\(operation.key)' that of '\(plan.operations[owner].key)': probably rows slid, or one "
                        + "column was sorted without the others",
                    override: .wanderingTexts,
                    source: operation.source
                )
            )
        }
    }

    /// Refuses a plan in which products show the values last applied to others: ids in the state were exchanged.
    ///
    /// Each product would get another's values. One product with name and pictures of another one suffices, or two with
    /// their names; a product that shows its own pictures was renamed on the market.
    mutating func refuseExchangedIDs() {
        var strangers: [(operation: Int, live: LiveProduct, entry: StateEntry)] = []
        for (index, operation) in plan.operations.enumerated() {
            guard let id = operation.id, let entry = entries[operation.key], entry.id == id,
                let live = input.live.products[id], let name = entry.applied.name,
                live.name.map({ $0 != name }) ?? false,
                !live.keepsPictures(of: entry)
            else { continue }
            strangers.append((index, live, entry))
        }
        guard !strangers.isEmpty else { return }
        let names = Set(strangers.compactMap(\.live.name))
        let owners = Dictionary(grouping: entries.values.filter { $0.applied.name.map(names.contains) ?? false }) {
            $0.applied.name ?? ""
        }
        var exchanged: [(operation: Int, owner: StateEntry, isCertain: Bool)] = []
        for (operation, live, entry) in strangers {
            let missing = (owners[live.name ?? ""] ?? []).filter { owner in
                owner.key != entry.key && input.product(of: owner)?.name != owner.applied.name
            }
            guard let owner = missing.first(where: live.showsPictures) ?? missing.min(by: { $0.key < $1.key }) else {
                continue
            }
            exchanged.append((operation, owner, live.showsPictures(of: owner)))
        }
        guard exchanged.count > 1 || exchanged.contains(where: \.isCertain), let first = exchanged.first else { return }
        let operation = plan.operations[first.operation]
        plan.refusals.append(
            PlanRefusal(
                "\(counted(exchanged.count, "product")) \(exchanged.count == 1 ? "shows" : "show") what was last applied to "
                    + "another one, that of '\(operation.key)' what '\(first.owner.key)' is: probably ids of the state "
                    + "were exchanged",
                override: .exchangedIDs,
                source: operation.source
            )
        )
    }

    /// Refuses to adopt a product by its `id` if it has neither the name nor the pictures of the listing.
    ///
    /// If pictures cannot be compared, description or price take their part.
    mutating func checkLikeness(of listing: Listing, to live: LiveProduct, _ changes: [FieldChange]) {
        let fields = Set(changes.lazy.map(\.field))
        guard listing.pinnedID != nil, !options.adopts, fields.contains(.name) else { return }
        let arePicturesCompared = capabilities.keepsPictureBytes && listing.values.images != nil
        let other: String
        if arePicturesCompared {
            guard fields.contains(.images) else { return }
            other = "other pictures"
        } else {
            // A row is edited as a whole, and its id states its product.
            guard listing.row == nil || fields.contains(.images) && fields.contains(.description),
                let field = [.description, .price].first(where: fields.contains)
            else { return }
            other = field == .price ? "another price" : "another description"
        }
        plan.refusals.append(
            PlanRefusal(
                "'\(listing.key)' would take over product \(live.id), which has another name and \(other)"
                    + (live.name.map { ": '\($0)'" } ?? ""),
                override: .otherProduct,
                source: listing.location()
            )
        )
    }

    /// Proposes `previously:` if one product leaves and one appears with the same pictures, otherwise with the same
    /// name.
    ///
    /// No other product may have the same pictures or name.
    mutating func proposeRenames() {
        guard plan.operations.contains(where: { $0.action == .delete }) else { return }
        let taken = proposeRenames(by: "pictures", except: []) { operation, entry in
            let pictures = entry.map { $0.applied.images?.digests } ?? operation.newProduct?.pictures.map(\.digest)
            return pictures.flatMap { $0.isEmpty ? nil : $0 }
        }
        _ = proposeRenames(by: "name", except: taken) { operation, entry in
            entry.map { $0.applied.name ?? operation.name } ?? operation.name
        }
    }

    /// Proposes `previously:` for products that leave and appear with the same look, and returns their keys.
    ///
    /// `likeness` is a word for messages, for what the products have in common; `taken` are keys that have a proposal
    /// already. `look` is compared: that of an operation and of the state's entry of a product that leaves.
    private mutating func proposeRenames<Look: Hashable>(
        by likeness: String,
        except taken: Set<String>,
        _ look: (PlannedOperation, StateEntry?) -> Look?
    ) -> Set<String> {
        var leaving: [Look: [String]] = [:]
        for operation in plan.operations where operation.action == .delete && !taken.contains(operation.key) {
            guard let entry = entries[operation.key], let look = look(operation, entry) else { continue }
            leaving[look, default: []].append(operation.key)
        }
        guard !leaving.isEmpty else { return taken }
        var appearing: [Look: [PlannedOperation]] = [:]
        for operation in plan.operations where operation.action == .create && !taken.contains(operation.key) {
            guard let look = look(operation, nil), leaving[look] != nil else { continue }
            appearing[look, default: []].append(operation)
        }
        var taken = taken
        for (look, operations) in appearing.sorted(by: { $0.value[0].key < $1.value[0].key }) {
            guard operations.count == 1, let old = leaving[look], old.count == 1 else { continue }
            plan.diagnostics.append(.possibleRename(from: old[0], to: operations[0], by: likeness))
            taken.formUnion([old[0], operations[0].key])
        }
        return taken
    }
}

extension LiveProduct {
    /// Whether it shows a picture that the market assigned to a product of ours.
    fileprivate func showsPictures(of entry: StateEntry) -> Bool {
        if let images, let known = entry.images {
            return images.contains { image in known.contains { $0.reference.isExactly(image.reference) } }
        }
        return thumbnailURL != nil && thumbnailURL.isExactly(entry.thumbnailURL)
    }

    /// Whether it shows the pictures that the state knows of its own product.
    ///
    /// A reset market reuses ids with other addresses; the part after a `?` may differ each time.
    func keepsPictures(of entry: StateEntry) -> Bool {
        guard showsPictures(of: entry) else { return false }
        guard let known = entry.thumbnailURL, let thumbnailURL else { return true }
        return known.utf8.prefix { $0 != 0x3F }.elementsEqual(thumbnailURL.utf8.prefix { $0 != 0x3F })
    }
}
