@testable import OpenMarket
@testable import OpenMarketTestSupport
import Testing

/// What takes a run back: an edit for each of its products, or the reason why not.
struct RunUndoTests {
    private static let values = ProductValues(name: "Lamp", price: 100, currency: .usd, sale: .price(90), stock: 10)

    private static func change(_ field: ProductField, _ live: FieldValue?, _ wanted: FieldValue?) -> FieldChange {
        FieldChange(field: field, kind: .change, base: live, live: live, manifest: wanted)
    }

    private static func update(_ changes: FieldChange..., pictures: LivePictures = LivePictures())
        -> PlannedOperation.Work
    {
        var desired = values
        for change in changes { desired[change.field] = change.manifest }
        return .update(.init(id: 5, changes: changes, desired: desired, live: values, livePictures: pictures))
    }

    private static func delete(_ live: ProductValues = values, pictures: LivePictures = LivePictures())
        -> PlannedOperation.Work
    {
        .delete(.init(id: 5, live: live, livePictures: pictures))
    }

    private static let dearer = update(change(.price, .number(100), .number(120)))

    private func did(
        _ work: PlannedOperation.Work,
        key: String = "lamp",
        run: String = "run-1",
        secret: SecretReference? = nil,
        _ fact: JournalEvent.Fact? = .succeeded(5)
    ) -> JournalledOperation {
        var progress = OperationProgress()
        if let fact { progress.take(fact, number: 1, at: Timestamp(milliseconds: 1)) }
        return JournalledOperation(
            run: RunID(rawValue: run),
            startedAt: Timestamp(milliseconds: 0),
            runEndedAt: Timestamp(milliseconds: 2),
            sequence: 0,
            operation: PlannedOperation(key: key, reason: "changed in the manifest", secret: secret, work: work),
            progress: progress
        )
    }

    private func undo(
        _ operations: JournalledOperation...,
        before later: [JournalledOperation] = [],
        isAdjusted: Bool = false,
        filter: KeyFilter = KeyFilter(),
        kept: [ContentDigest: String] = [:]
    ) -> RunUndo {
        var manifest = PlanFixture().input.manifest
        manifest.isAdjusted = isAdjusted
        return RunUndo(
            operations,
            before: later,
            in: manifest,
            filter: filter,
            file: { $0 == "mug" ? "mugs.yaml" : nil }
        ) { _, identity, shown in
            if case .digest(let digest) = identity { kept[digest] } else { shown.map { "kept/\($0.url)" } }
        }
    }

    @Test func `an update gives each field its earlier value back, if the manifest has what the run applied`() {
        let work = Self.update(
            Self.change(.price, .number(100), .number(120)),
            Self.change(.salePrice, .sale(.fullPrice), .sale(.price(110))),
            Self.change(.stock, nil, .integer(3))
        )
        let fields = [
            FieldEdit(.value(.price), .value(.number(100)), base: .value(.number(120))),
            FieldEdit(.value(.salePrice), nil, base: .value(.sale(.price(110)))),
            FieldEdit(
                .value(.stock),
                nil,
                base: .value(.integer(3)),
                refusal: "its earlier value is unknown"
            ),
        ]
        #expect(undo(did(work)).edits == [ProductEdit(key: "lamp", .change(fields), reason: "changed by run-1")])
    }

    @Test func `a replace gives pictures back from what was kept, and names what was not`() {
        let old = FieldValue.images([.digest(digest(1)), .unknown("352")])
        let new = FieldValue.images([.digest(digest(3))])
        let changes = [Self.change(.images, old, new)]
        let shown = LivePictures(images: [.init(id: 351, url: "a.png"), .init(id: 352, url: "b.png")])
        let product = NewProduct(values: Self.values)
        let work = PlannedOperation.Work.replace(
            .init(id: 5, changes: changes, product: product, live: Self.values, livePictures: shown)
        )
        let edit = FieldEdit(.value(.images), .paths(["kept.png", "kept/b.png"]), base: .value(new))
        #expect(
            undo(did(work), kept: [digest(1): "kept.png"]).edits.map(\.action) == [.change([edit])]
        )
        let refused = FieldEdit(
            .value(.images),
            nil,
            base: .value(new),
            refusal: "its earlier pictures were not kept here"
        )
        #expect(undo(did(work)).edits.map(\.action) == [.change([refused])])
    }

    @Test func `a create is taken out, if the manifest has the values that it was created with`() {
        let edits = undo(did(.create(NewProduct(values: Self.values)))).edits
        #expect(edits == [ProductEdit(key: "lamp", .remove(base: Self.values), reason: "created by run-1")])
    }

    @Test func `a deleted product is listed with its values, pictures and password`() {
        var live = Self.values
        live.sale = .fullPrice
        live.images = [.digest(digest(1)), .digest(digest(2))]
        live.thumbnail = .digest(digest(2))
        let kept = [digest(1): "1.png", digest(2): "2.png"]
        var values = Self.values
        values.sale = nil
        var added = AddedProduct(values: values, images: ["1.png", "2.png"], thumbnail: "2.png")
        let reason = "deleted by run-1 (was product 5)"
        let written = SecretReference.manifest("/shop.yaml", path: "products[0].secret")
        let plain = undo(did(Self.delete(live), secret: written), kept: kept)
        #expect(plain.edits == [ProductEdit(key: "lamp", .add(added, file: nil), reason: reason)])
        #expect(plain.withoutPassword == ["lamp"])
        let named = undo(did(Self.delete(live), secret: .environment("LAMP")), kept: kept)
        added.secret = .environment("LAMP")
        #expect(named.edits == [ProductEdit(key: "lamp", .add(added, file: nil), reason: reason)])
        #expect(named.withoutPassword == [])
        #expect(
            undo(did(Self.delete(live)), kept: [digest(1): "1.png"]).edits.map(\.action)
                == [.leave(because: "its pictures were not kept here")]
        )
    }

    @Test func `a deleted product goes to the file that is named for it`() {
        let mug = did(Self.delete(), key: "mug")
        let added = AddedProduct(values: Self.values)
        #expect(undo(mug).edits.map(\.action) == [.add(added, file: "mugs.yaml")])
        let unseen = Self.delete(pictures: LivePictures(thumbnailURL: "a_thumb.png"))
        #expect(undo(did(unseen)).edits.map(\.action) == [.leave(because: "its pictures were not kept here")])
    }

    @Test func `what cannot be taken back is left alone, and what did nothing is nothing`() {
        let entry = StateEntry(key: "lamp", id: 5, applied: Self.values)
        func actions(_ operations: JournalledOperation...) -> [ProductEdit.Action] {
            operations.flatMap { undo($0).edits.map(\.action) }
        }
        #expect(
            actions(did(.adopt(entry, name: "Lamp")), did(.forget(5, name: "Lamp")))
                == [.leave(because: "no change was sent"), .leave(because: "no change was sent")]
        )
        let unknown = ProductEdit.Action.leave(because: "its outcome is unknown; 'openmarket apply' settles it")
        #expect(
            actions(did(Self.dearer, .unknown(.update, "lost")), did(Self.dearer, .sent(.update, highWater: nil)))
                == [unknown, unknown]
        )
        #expect(
            actions(did(Self.dearer, .failed("no")), did(Self.dearer, .skipped("stale")), did(Self.dearer, nil)) == []
        )
        #expect(
            actions(did(Self.delete(ProductValues(name: "Lamp"))))
                == [.leave(because: "the market did not show its price")]
        )
        #expect(
            undo(did(Self.delete()), isAdjusted: true).edits.map(\.action)
                == [.leave(because: "its values came from 'adjust' for this market")]
        )
    }

    @Test func `a product that a later run touched is left alone`() {
        let create = PlannedOperation.Work.create(NewProduct(values: Self.values))
        func action(_ work: PlannedOperation.Work, before later: JournalledOperation...) -> [ProductEdit.Action] {
            undo(did(work), before: later).edits.map(\.action)
        }
        #expect(
            action(Self.dearer, before: did(Self.dearer, run: "run-2"), did(Self.dearer, run: "run-3"))
                == [.leave(because: "a later run changed it (run-2)")]
        )
        #expect(
            action(Self.delete(), before: did(create, run: "run-2"))
                == [.leave(because: "a later run created it (run-2)")]
        )
        let others = [did(Self.dearer, run: "run-2", .failed("no")), did(Self.dearer, key: "mug", run: "run-2")]
        #expect(undo(did(Self.dearer), before: others).edits == undo(did(Self.dearer)).edits)
    }

    /// `former` was renamed to `lamp`; `earlier` is an older key that only the manifest tells.
    @Test func `a product that was renamed since is found under its present key`() {
        var fixture = PlanFixture()
        fixture.wants("lamp") { $0.previously = ["earlier"] }
        let create = PlannedOperation.Work.create(NewProduct(values: Self.values))
        var renaming = did(.rename(5, name: "Lamp"), run: "run-2")
        renaming.operation.renamedFrom = "former"
        var changing = did(Self.dearer, run: "run-2")
        changing.operation.renamedFrom = "former"
        var failed = did(.rename(5, name: "Lamp"), run: "run-2", .failed("no"))
        failed.operation.renamedFrom = "former"
        func edits(_ undone: JournalledOperation, _ later: JournalledOperation...) -> [ProductEdit] {
            let operations = ([undone] + later).underPresentKeys(in: fixture.input.manifest)
            return RunUndo(
                [operations[0]],
                before: Array(operations.dropFirst()),
                in: fixture.input.manifest
            ) { _, _, _ in nil }.edits
        }
        let removal = ProductEdit(key: "lamp", .remove(base: Self.values), reason: "created by run-1")
        #expect(edits(did(create, key: "former"), renaming) == [removal])
        #expect(edits(did(create, key: "earlier"), failed) == [removal])
        #expect(edits(did(create, key: "former"), failed).map(\.key) == ["former"])
        #expect(
            edits(did(create, key: "former"), changing).map(\.action)
                == [.leave(because: "a later run changed it (run-2)")]
        )
    }

    @Test func `several runs go back to before the first of them`() {
        let first = did(Self.dearer)
        let second = did(
            Self.update(
                Self.change(.price, .number(120), .number(130)),
                Self.change(.stock, .integer(10), .integer(3))
            ),
            run: "run-2"
        )
        let price = FieldEdit(.value(.price), .value(.number(100)), base: .value(.number(130)))
        let stock = FieldEdit(.value(.stock), .value(.integer(10)), base: .value(.integer(3)))
        #expect(undo(first, second).edits.map(\.action) == [.change([price, stock])])
        var live = Self.values
        live.price = 120
        let added = AddedProduct(values: Self.values)
        #expect(undo(first, did(Self.delete(live), run: "run-2")).edits.map(\.action) == [.add(added, file: nil)])
        let create = did(.create(NewProduct(values: Self.values)))
        #expect(undo(create, did(Self.delete(), run: "run-2")).edits == [])
        var base = Self.values
        base.price = 120
        #expect(undo(create, first).edits.map(\.action) == [.remove(base: base)])
        // Deleted, and created again with another price.
        let again = did(.create(NewProduct(values: base)), run: "run-2")
        guard case .change(let fields)? = undo(did(Self.delete()), again).edits.first?.action else {
            Issue.record("the product is not changed")
            return
        }
        #expect(fields.first { $0.field == .value(.price) }?.wanted == .value(.number(100)))
        #expect(fields.first { $0.field == .value(.price) }?.base == .value(.number(120)))
    }

    @Test func `what was rejected of a plan gets the market's values, leaves, or is listed again`() {
        func operation(_ key: String, _ work: PlannedOperation.Work, at file: String? = nil) -> PlannedOperation {
            PlannedOperation(
                key: key,
                reason: "changed in the manifest",
                source: file.map { SourceLocation(file: $0) },
                secret: .manifest("/shop.yaml", path: "products[0].secret"),
                work: work
            )
        }
        let update = Self.update(
            Self.change(.price, .number(100), .number(120)),
            Self.change(.salePrice, .sale(.fullPrice), .sale(.price(110))),
            Self.change(.stock, nil, .integer(3)),
            Self.change(.images, .images([.unknown("1")]), .images([]))
        )
        let fields = [
            FieldEdit(.value(.price), .value(.number(100)), base: .value(.number(120))),
            FieldEdit(.value(.salePrice), nil, base: .value(.sale(.price(110)))),
            FieldEdit(.value(.stock), nil, base: .value(.integer(3)), refusal: "the market's value is unknown"),
            FieldEdit(.value(.images), nil, base: .value(.images([])), refusal: "no file has the market's pictures"),
        ]
        var live = Self.values
        live.images = [.unknown("1")]
        let plan = Plan(operations: [
            operation("made", .create(NewProduct(values: Self.values))), operation("approved", update),
            operation("lamp", update), operation("gone", Self.delete(live)),
            operation("absent", Self.delete(live), at: "shop.yaml"), operation("lost", .forget(5, name: nil)),
        ])
        var edits = plan.edits { $0 != "approved" }
        #expect(edits.dropWrittenPasswords() == ["gone"])
        #expect(
            edits == [
                ProductEdit(key: "made", .remove(base: Self.values), reason: "rejected create"),
                ProductEdit(key: "lamp", .change(fields), reason: "rejected update"),
                ProductEdit(
                    key: "gone",
                    .add(AddedProduct(values: Self.values, id: 5), file: nil),
                    reason: "rejected delete"
                ),
                ProductEdit(
                    key: "absent",
                    .leave(because: "the manifest has 'state: absent' for it"),
                    reason: "rejected delete"
                ),
            ]
        )
        #expect(
            plan.edits(isAdjusted: true) { ["gone", "absent"].contains($0) }.map(\.action) == [
                .leave(because: "its values came from 'adjust' for this market"),
                .leave(because: "the manifest has 'state: absent' for it, or 'adjust' leaves it out"),
            ]
        )
    }

    @Test func `what an unfinished create left beside the product is no delete of the product`() {
        let create = did(.create(NewProduct(values: Self.values)), .succeeded(6))
        #expect(undo(create, did(Self.delete(), run: "run-2")).edits.map(\.action) == [.remove(base: Self.values)])
    }

    @Test func `a filter chooses the products`() {
        let operations = (did(Self.dearer), did(Self.dearer, key: "mug"))
        #expect(undo(operations.0, operations.1, filter: KeyFilter(targets: ["m*"])).edits.map(\.key) == ["mug"])
        #expect(undo(operations.0, operations.1, filter: KeyFilter(exclusions: ["m*"])).edits.map(\.key) == ["lamp"])
    }
}
