/// Handles requests that did not succeed.
extension OperationMachine {
    mutating func unheard(_ attempt: Attempt, _ trouble: WriteTrouble, _ now: Context) -> Action {
        var attempt = attempt
        attempt.mayHaveHappened = true
        switch attempt.step {
        case .create(let product):
            guard mayRepeat(attempt, now) else { return suspend(lost(product, attempt, trouble.message)) }
        // The product's pictures are read before one is sent again.
        case .attach(_, let rest): return look(attempt, trouble, now, rest.id) { .isAttached($0, rest) }
        case .update(let update) where update.sendsPictures(capabilities):
            return look(attempt, trouble, now, update.id) { .hasPictures($0, update) }
        // An unused upload is invisible, and so is an empty change.
        case .upload, .prove: attempt.mayHaveHappened = false
        case .update: attempt.absenceAwaited = false
        // A delete key may be valid for one use only, so the next attempt asks for a new one.
        case .delete(let id, _):
            attempt.step = firstDeleteStep(of: id)
            // If the next product has the same id, a late delete would delete that one.
            guard capabilities.choosesIDs, operation.replacement != nil else { break }
            let quiet = configuration.quietPeriod(on: capabilities)
            return retry(attempt, trouble, now, notBefore: quiet)
        case .thumbnail, .deleteKey: break
        }
        return retry(attempt, trouble, now)
    }

    private mutating func look(
        _ attempt: Attempt,
        _ trouble: WriteTrouble,
        _ now: Context,
        _ id: MarketID,
        _ question: (Attempt) -> Question
    ) -> Action {
        var attempt = attempt
        attempt.failures += 1
        guard !now.isStopping, attempt.failures < configuration.maximumAttempts else {
            return giveUp(attempt, trouble.message, now)
        }
        return pause(.ask(question(attempt), about: id), for: configuration.quietPeriod(on: capabilities))
    }

    /// Whether a create whose reply was lost may be sent again: the market applies it once.
    func mayRepeat(_ attempt: Attempt, _ now: Context) -> Bool {
        guard attempt.idempotencyKey != nil, let repetition = capabilities.repetition else { return false }
        return repetition.isKnown(after: now.elapsed - attempt.repeatedSince)
    }

    func lost(_ product: NewProduct, _ attempt: Attempt, _ trouble: String) -> LostCreate {
        LostCreate(product: product, highWater: attempt.highWater, trouble: trouble)
    }

    /// The next attempt after the request provably had no effect.
    ///
    /// A market that replays its errors does so for the same idempotency key, so the attempt gets a new one. The key
    /// stays as long as an earlier attempt may have taken effect.
    func renewed(_ attempt: Attempt, after trouble: WriteTrouble) -> Attempt {
        guard trouble.isOverload, !attempt.mayHaveHappened, capabilities.repetition?.replaysErrors == true else {
            return attempt
        }
        var attempt = attempt
        attempt.idempotencyKey = nil
        return attempt
    }

    /// Handles a create that the market refuses although it may have happened, or because a product has its key.
    private mutating func refused(_ product: NewProduct, _ attempt: Attempt, _ refusal: WriteRefusal) -> Action {
        var create = lost(product, attempt, refusal.message)
        if refusal.kind == .duplicate, configuration.sendsKeys {
            create.objection = .duplicate(isFirst: !attempt.mayHaveHappened && recreations == 0)
        } else if attempt.mayHaveHappened {
            create.objection = .refused
        } else {
            return fail(attempt.step, refusal.message)
        }
        return suspend(create)
    }

    mutating func refused(_ attempt: Attempt, _ refusal: WriteRefusal, _ now: Context) -> Action {
        if case .create(let product) = attempt.step { return refused(product, attempt, refusal) }
        guard refusal.kind == .notFound else { return fail(attempt.step, refusal.message) }
        // A product is removed from the state only if reading it fails as well. v1 hides products for a while after a
        // write and also answers a wrong password with 404. A market with another API lacks the path.
        switch attempt.step {
        case .create, .thumbnail, .upload: return fail(attempt.step, refusal.message)
        case .attach:
            // The market may not show a new product yet.
            guard case .doubtful(let wait) = absence(awaited: attempt.absenceAwaited, now) else {
                return fail(attempt.step, refusal.message)
            }
            var attempt = attempt
            attempt.absenceAwaited = true
            return pause(.retry(attempt), for: wait)
        case .update(let update):
            guard capabilities.answersDeniedAsMissing else { return fail(attempt.step, refusal.message) }
            return ask(.exists(attempt), about: update.id)
        case .prove(let replacement): return ask(.exists(attempt), about: replacement.id)
        case .deleteKey(let id), .delete(let id, _): return ask(.exists(attempt), about: id)
        }
    }

    func absence(awaited: Bool, _ now: Context) -> Absence {
        guard !awaited, capabilities.readAfterWriteDelay > .zero else { return .believed }
        guard !now.isStopping else { return .unknowable }
        // The product is then removed from the state or created again, so late effects of earlier requests matter.
        return .doubtful(configuration.quietPeriod(on: capabilities))
    }

    /// Handles a 404 for a product that does not show.
    mutating func absent(_ attempt: Attempt, _ now: Context) -> Action {
        let message = Self.gone
        switch absence(awaited: attempt.absenceAwaited, now) {
        case .doubtful(let wait):
            var attempt = attempt
            attempt.absenceAwaited = true
            return pause(.retry(attempt), for: wait)
        case .unknowable: return giveUp(attempt, message, now)
        case .believed:
            switch attempt.step {
            case .update, .prove: return fail(attempt.step, message)
            default: return deleted()
            }
        }
    }

    /// Handles a 404 for a product that does show: it was hidden for a moment, or the password is wrong.
    mutating func present(_ attempt: Attempt, _ now: Context) -> Action {
        guard attempt.presenceTried else {
            var attempt = attempt
            attempt.presenceTried = true
            return announce(attempt, now)
        }
        let why =
            capabilities.answersDeniedAsMissing
            ? "its password differs from the configured one"
            : "its API, or the requested path, may differ from the configured one"
        return fail(attempt.step, "the market answers 404 although the product exists: \(why)")
    }

    mutating func retry(
        _ attempt: Attempt,
        _ trouble: WriteTrouble,
        _ now: Context,
        notBefore least: Duration = .zero
    ) -> Action {
        var attempt = attempt
        attempt.failures += 1
        let usual = configuration.pause(afterFailure: attempt.failures, trouble, jitter: now.jitter)
        guard !now.isStopping, let delay = usual.map({ max($0, least) }) else {
            return giveUp(attempt, trouble.message, now)
        }
        return pause(.retry(attempt), for: delay)
    }

    mutating func pause(_ pause: Pause, for duration: Duration) -> Action {
        state = .waiting(pause)
        return .wait(duration)
    }

    mutating func giveUp(_ attempt: Attempt, _ message: String, _ now: Context) -> Action {
        // A later run counts the product's pictures before it adds one.
        if case .attach = attempt.step, attempt.mayHaveHappened {
            return close(.unknown(.attach, message))
        }
        guard made == .nothing else { return fail(attempt.step, message) }
        if case .create(let product) = attempt.step, attempt.mayHaveHappened {
            return suspend(lost(product, attempt, message))
        }
        if attempt.mayHaveHappened { return close(.unknown(request(attempt).step, message)) }
        return now.isStopping && !isOldDeleted
            ? close(.skipped(message)) : close(.failed(unmade(message)))
    }

    /// The message about a product that was not created; it mentions that the old one is already deleted, if it is.
    private func unmade(_ message: String) -> String {
        isOldDeleted
            ? "\(oldProduct) is deleted, and the new one was not created; the next run creates it: \(message)" : message
    }

    mutating func fail(_ step: Step, _ message: String) -> Action {
        if case .thumbnail = step {
            // The product exists; the next plan shows the thumbnail as a change.
            problems.append("the thumbnail was not set: \(message)")
            return advance(after: .update, [])
        }
        if case .attach(_, let attachment) = step { return notAttached(attachment, message) }
        let why: String
        switch made {
        case .nothing: return close(.failed(unmade(message)))
        case .product: why = "the new product exists, the old one could not be deleted yet: \(message)"
        case .mismatch(let id):
            why =
                "the new product \(id) is not as sent (\(problems.joined(separator: "; "))) and could not be deleted "
                + "again yet\(operation.succession == nil ? "" : ", \(oldProduct) stays"): \(message)"
        }
        // One product of a replace must still be deleted: the operation stays unresolved, so that it is not forgotten.
        return close(.unknown(request(step, operation.secret).step, message), as: .failed, error: why)
    }

    mutating func suspend(_ create: LostCreate) -> Action {
        state = .recording(.lost(create))
        return .record(.unknown(.create, create.trouble, answered: create.answered), [])
    }

    /// Handles a create without a reply whose product the market does not have.
    mutating func createAgain(_ create: LostCreate, _ now: Context) -> Action {
        recreations += 1
        // The market refused the create, and would do so again.
        if create.objection != nil { return close(.failed(unmade(create.trouble))) }
        let message = "it was not created: \(create.trouble)"
        if now.isStopping, !isOldDeleted { return close(.skipped(message)) }
        guard !now.isStopping, recreations <= configuration.maximumRecreations else {
            return close(.failed(unmade(message)))
        }
        return announce(Attempt(.create(create.product)), now)
    }
}
