import OpenMarket

/// Contradictions in the lists and requests of products.
extension DescriptionChecker {
    // MARK: Pages

    mutating func checkPage() {
        let list = market.list
        let page = list.page
        switch page.style {
        case .number: checkPagePlace(.page)
        case .offset: checkPagePlace(.offset)
        case .keyset:
            let named = page.query.filter { $0.value.contains { $0.names(.last) } }
            if named.count != 1 {
                report(
                    "list.page.query",
                    named.isEmpty ? "no query names '{last}'" : "two queries name '{last}'",
                    help: "write 'query: {since_id: \"{last}\"}'"
                )
            }
            if page.last == .whole { report("list.page.last", "a row is not a value", help: "write 'last: /id'") }
        case .next:
            if page.next.header?.lowercased() == "link", page.next.relation == nil {
                report("list.page.next", "a header 'Link' holds several addresses", help: "write 'rel: next'")
            }
        case .cursor, .whole: break
        }
        if let standard = page.size.standard, let most = page.size.most, standard > most {
            report("list.page.size.standard", "the market gives \(most) rows at the most", help: "write \(most)")
        }
        if list.lastPage != nil, page.style != .number {
            report("list.last_page", "pages are not numbered here")
        }
        if list.lastPage?.path != nil {
            report("list.last_page.path", "the number of the last page is read from a page")
        }
        if list.rows == [.whole] {
            for (path, pointer) in list.bodyPointers where pointer != .whole {
                report(path, "the body is the list of rows, without a member '\(pointer)'")
            }
        }
    }

    /// Checks that exactly one position states the requested page.
    private mutating func checkPagePlace(_ placeholder: Placeholder) {
        let page = market.list.page
        let inPath = market.list.path.names(placeholder)
        let inQuery = page.query.contains { $0.value.contains { $0.names(placeholder) } }
        let count = [inPath, inQuery, page.parameter != nil].count { $0 }
        if count == 0 {
            report(
                "list.page",
                "no placeholder or query selects the page",
                help: "write 'param: …', or name '\(placeholder)' in the path"
            )
        } else if count > 1 {
            report("list.page", "two places select the page")
        }
    }

    // MARK: The end

    mutating func checkEnd() {
        let list = market.list
        let style = list.page.style
        switch style {
        case .whole, .next, .cursor:
            let ends = style == .whole ? "one answer holds all" : "the list ends if a page gives no next one"
            if let index = list.pastEnd.firstIndex(where: { style == .whole || $0.answer != .empty }) {
                report("list.past_end[\(index)]", "the market is not read behind the last page: \(ends)")
            }
            if style == .whole, list.more != nil {
                report("list.more", "no page follows: \(ends)")
            }
        case .number, .offset, .keyset:
            if list.pastEnd.isEmpty, list.more == nil, list.total?.isOfPage != true, list.lastPage == nil {
                report(
                    "list",
                    "the end of the list is not marked: a page with few rows is no mark",
                    help: "write 'past_end: [empty]', or the market's answer behind the last page"
                )
            }
            // The value after which a page begins does not show how many rows follow.
            if style == .keyset, list.pastEnd.isEmpty, list.more == nil, list.total?.isOfPage == true {
                report(
                    "list",
                    "a total does not mark the end of a keyset",
                    help: "write 'past_end: [empty]', or 'more'"
                )
            }
            if style == .keyset,
                let index = list.pastEnd.firstIndex(where: { $0.answer != .empty && $0.answer != .noContent })
            {
                report("list.past_end[\(index)]", "a keyset ends with an empty page")
            }
        }
    }

    // MARK: Completeness

    mutating func checkCompleteness() {
        guard let proof = Proof(rawValue: market.list.complete.rawValue) else { return }
        for obstacle in obstacles(to: proof) {
            report(
                "list.complete",
                "'\(proof.rawValue)' does not hold here: \(obstacle)",
                help: helpForCompleteness(besides: proof)
            )
        }
    }

    /// The reasons why a proof that a description names is impossible.
    private func obstacles(to proof: Proof) -> [String] {
        // 'twice' also covers sightings, which have their own preconditions.
        if proof == .twice, Proof.sightings.obstacles(in: market).isEmpty { return [] }
        return proof.obstacles(in: market)
    }

    private func helpForCompleteness(besides proof: Proof) -> String {
        let others = [Proof.ranks, .keyset, .whole, .twice].filter { $0 != proof && obstacles(to: $0).isEmpty }
        let unique = market.sharedKeysetValue.map { "write 'unique: true' if no two products share '\($0)'; " } ?? ""
        return "\(unique)'complete' can be \((others.map(\.rawValue) + ["never"]).listed("or")) here"
    }

    // MARK: Operations

    mutating func checkOperations() {
        if let detail = market.operations.detail {
            if !namesProduct(detail.path, detail.query) {
                report("operations.detail", "this does not name the product", help: "path or query names '{id}'")
            }
            if detail.missing.contains(.status(200)) {
                report(
                    "operations.detail.missing",
                    "200 is the status of a product that exists",
                    help: "write 'empty' if a success without a product means that it is missing"
                )
            }
        }
        for operation in [MarketDescription.Operation.update, .deleteKey, .delete] {
            guard let write = market.operations.write(operation) else { continue }
            let path = "operations.\(operation.rawValue)"
            if !namesProduct(write.path, write.query) {
                report(
                    path,
                    "this does not name the product, so it may affect all products",
                    help: "path or query names '{id}'"
                )
            }
        }
        let usesKey = market.operations.delete.map { [$0.path] + $0.query.flatMap(\.value) } ?? []
        let namesDeleteKey = usesKey.contains { $0.names(.deleteKey) }
        if namesDeleteKey, market.operations.deleteKey == nil {
            report("operations.delete", "no operation gives '{delete_key}'", help: "describe 'operations.delete_key'")
        }
        if let deleteKey = market.operations.deleteKey {
            if market.operations.delete == nil || !namesDeleteKey {
                report("operations.delete_key", "'delete' does not name '{delete_key}'")
            }
            if deleteKey.answer != .key, deleteKey.answer != .path {
                report(
                    "operations.delete_key",
                    "the content of the answer is missing",
                    help: "write 'answer: key' or 'answer: path'"
                )
            }
        }
        for operation in MarketDescription.Operation.allCases {
            guard let write = market.operations.write(operation) else { continue }
            checkWrite(write, operation, "operations.\(operation.rawValue)")
        }
    }

    private mutating func checkWrite(
        _ write: MarketDescription.Write,
        _ operation: MarketDescription.Operation,
        _ path: String
    ) {
        let ownMethods: [MarketDescription.Method] =
            switch operation {
            case .create: [.post, .put]
            case .update: [.post, .put, .patch]
            case .delete: [.delete, .post]
            default: [.post]
            }
        if !ownMethods.contains(write.method) {
            report(
                "\(path).method",
                "\(write.method.rawValue) is not a method for '\(operation.rawValue)'",
                help: "write \(ownMethods.map(\.rawValue).listed("or"))"
            )
        }
        if let body = write.body {
            if let type = body.type, !type.hasSuffix("json") || !type.contains("/") {
                report("\(path).body.type", "'\(type)' is not a type of JSON")
            }
            if body.form == .raw { report("\(path).body", "a product is not raw bytes", help: "write 'body: json'") }
        } else {
            if operation == .create || operation == .update {
                report(path, "a product is sent in a body", help: "write 'body: json'")
            }
            if !write.values.isEmpty { report("\(path).with", "the request is without a body") }
        }
        for status in write.success ?? [] where write.missing.contains(.status(status)) {
            report("\(path).missing", "\(status) is also a status of success")
        }
        let own: [(key: String, operation: MarketDescription.Operation, isSaid: Bool)] = [
            ("hidden", .create, !write.hidden.isEmpty), ("settle", .create, write.settle != nil),
            ("send", .update, write.sending != .changed), ("keep", .update, !write.kept.isEmpty),
        ]
        for (key, owner, isSaid) in own where isSaid && operation != owner {
            report("\(path).\(key)", "only '\(owner.rawValue)' has this")
        }
        if operation != .deleteKey, write.answer == .key || write.answer == .path {
            report("\(path).answer", "only 'delete_key' answers with one")
        }
    }

    private func namesProduct(_ path: Template, _ query: [MarketDescription.Query]) -> Bool {
        ([path] + query.flatMap(\.value)).contains { $0.names(.id) || $0.names(.key) || $0.names(.deleteKey) }
    }

    // MARK: Errors and limits

    mutating func checkErrors() {
        for (index, rule) in market.errors.rules.enumerated() {
            if rule.meaning == .duplicate, market.identity.key == nil, market.identity.id.chosenBy == .market {
                report("errors.rules[\(index)].means", "duplicates need 'identity.key'")
            }
            if rule.condition == nil, rule.statuses.contains(where: { (200...299).contains($0) }) {
                report(
                    "errors.rules[\(index)]",
                    "a success means something else only if the answer shows it",
                    help: "add 'at' and 'is'"
                )
            }
        }
        for field in market.limits.required where !market.provides(field, { market.fields.takes($0) }) {
            report("limits.required", "'\(field.rawValue)' is required, and no request can send it")
        }
    }
}
