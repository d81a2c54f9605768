/// What follows when a request does not simply succeed.
extension OperationMachine {
    /// A request of which it is not known whether it took effect.
    mutating func unheard(_ attempt: Attempt, _ trouble: WriteTrouble, _ now: Context) -> Action {
        var attempt = attempt
        attempt.mayHaveHappened = true
        switch attempt.step {
        case .create(let product):
            guard let method = repeatingMethod(of: attempt, now) else {
                return suspend(lost(product, attempt, trouble.message))
            }
            // Where only the key keeps the first one out, it must not come when the product is deleted again.
            guard method == .uniqueKey else { break }
            let quiet = configuration.quietPeriod(readAfterWriteDelay: capabilities.readAfterWriteDelay)
            return retry(attempt, trouble, now, notBefore: quiet)
        // What a product has is counted before anything is added to it once more.
        case .attach(_, let attachment):
            attempt.failures += 1
            guard !now.isStopping, attempt.failures < configuration.maximumAttempts else {
                return giveUp(attempt, trouble.message, now)
            }
            let quiet = configuration.quietPeriod(readAfterWriteDelay: capabilities.readAfterWriteDelay)
            return pause(.recount(attempt, of: attachment), for: quiet)
        // An upload that no product shows is nothing that anybody sees, and a change of nothing leaves nothing.
        case .upload, .prove: attempt.mayHaveHappened = false
        case .update: attempt.absenceAwaited = false
        // A delete key may be good for one use only, so the next attempt asks for a new one.
        case .delete(let id, _):
            attempt.step = firstDeleteStep(of: id)
            // Where the next product has the same id, one that comes late would delete that.
            guard capabilities.choosesIDs, operation.replacement != nil else { break }
            let quiet = configuration.quietPeriod(readAfterWriteDelay: capabilities.readAfterWriteDelay)
            return retry(attempt, trouble, now, notBefore: quiet)
        case .thumbnail, .deleteKey: break
        }
        return retry(attempt, trouble, now)
    }

    /// What allows to send a create whose reply was lost again just as it was; `nil` where nothing does.
    func repeatingMethod(of attempt: Attempt, _ now: Context) -> SettlementMethod? {
        let methods = capabilities.settlementMethods(sendsKeys: configuration.sendsKeys)
        let method = methods.first { method in
            guard method == .repeatedRequest else { return true }
            guard attempt.repeatKey != nil, let repetition = capabilities.repetition else { return false }
            return repetition.isKnown(after: now.elapsed - attempt.repeatedSince)
        }
        return method.flatMap { $0.repeatsRequest ? $0 : nil }
    }

    /// A create of which it is not known whether it took effect.
    func lost(_ product: NewProduct, _ attempt: Attempt, _ trouble: String) -> LostCreate {
        LostCreate(product: product, highWater: attempt.highWater, trouble: trouble)
    }

    /// The attempt as it goes on after the market provably did nothing.
    ///
    /// A market that answers a refusal again does so for as long as the request has the same key. As long as an earlier
    /// attempt may have happened, the key stays.
    func renewed(_ attempt: Attempt, after trouble: WriteTrouble) -> Attempt {
        guard trouble.isOverload, !attempt.mayHaveHappened, capabilities.repetition?.replaysErrors == true else {
            return attempt
        }
        var attempt = attempt
        attempt.repeatKey = nil
        return attempt
    }

    /// A create that the market refuses although it may have happened, or because a product has its key.
    private mutating func refused(_ product: NewProduct, _ attempt: Attempt, _ refusal: WriteRefusal) -> Action {
        var create = lost(product, attempt, refusal.message)
        if refusal.kind == .duplicate, configuration.sendsKeys {
            create.objection = .duplicate(isFirst: !attempt.mayHaveHappened)
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
        // A product is dropped from the state only when it does not show either: v1 hides products for a while after a
        // write and answers a wrong password with 404 too, and a market of another API knows no such address.
        switch attempt.step {
        case .create, .thumbnail, .upload: return fail(attempt.step, refusal.message)
        case .attach:
            // What was just made may be unknown yet.
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

    /// Whether a product that does not show is gone.
    func absence(awaited: Bool, _ now: Context) -> Absence {
        guard !awaited, capabilities.readAfterWriteDelay > .zero else { return .believed }
        guard !now.isStopping else { return .unknowable }
        // Believing it drops the product from the state or makes it again, so late effects of earlier requests count.
        return .doubtful(configuration.quietPeriod(readAfterWriteDelay: capabilities.readAfterWriteDelay))
    }

    /// 404, and the product does not show.
    mutating func absent(_ attempt: Attempt, _ now: Context) -> Action {
        let message = "the product is gone from the market"
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

    /// 404, and the product shows: it was hidden for a moment, or the password is wrong.
    mutating func present(_ attempt: Attempt, _ now: Context) -> Action {
        guard attempt.presenceTried else {
            var attempt = attempt
            attempt.presenceTried = true
            return announce(attempt, now)
        }
        let why =
            capabilities.answersDeniedAsMissing
            ? "its password is not ours" : "its API may be another than the one that is set"
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
        let usual = configuration.delays.delay(
            attempt: attempt.failures,
            jitter: now.jitter,
            retryAfter: trouble.retryAfter
        )
        let delay = max(usual, least)
        guard !now.isStopping, attempt.failures < configuration.maximumAttempts,
            now.elapsed + delay - begunAt <= configuration.operationBudget
        else {
            return giveUp(attempt, trouble.message, now)
        }
        return pause(.retry(attempt), for: delay)
    }

    mutating func pause(_ pause: Pause, for duration: Duration) -> Action {
        state = .waiting(pause)
        return .wait(duration)
    }

    /// No more attempts of a step.
    mutating func giveUp(_ attempt: Attempt, _ message: String, _ now: Context) -> Action {
        // It is counted what the product has before a later run adds anything.
        if case .attach = attempt.step, attempt.mayHaveHappened {
            return close(.unknown, .unknown(.attach, message))
        }
        guard made == .nothing else { return fail(attempt.step, message) }
        if case .create(let product) = attempt.step, attempt.mayHaveHappened {
            return suspend(lost(product, attempt, message))
        }
        if attempt.mayHaveHappened { return close(.unknown, .unknown(attempt.step.request, message)) }
        return now.isStopping && !isOldDeleted
            ? close(.skipped, .skipped(message)) : close(.failed, .failed(unmade(message)))
    }

    /// Why a product was not made; where the one that it takes the place of is deleted already, the message says so.
    private func unmade(_ message: String) -> String {
        isOldDeleted
            ? "\(oldProduct) is deleted, and the new one was not made, which the next run does: \(message)" : message
    }

    /// A step that will not succeed.
    mutating func fail(_ step: Step, _ message: String) -> Action {
        if case .thumbnail = step {
            // The product is there; the next plan shows the thumbnail as a change.
            problems.append("the thumbnail was not set: \(message)")
            return advance(after: .update, [])
        }
        if case .attach(_, let attachment) = step { return notAttached(attachment, message) }
        // One product of a replace must still go: the operation stays unresolved, so that it is not forgotten.
        switch made {
        case .nothing: return close(.failed, .failed(unmade(message)))
        case .product:
            return close(
                .failed,
                .unknown(step.request, message),
                error: "the new product exists, the old one could not be deleted yet: \(message)"
            )
        case .mismatch(let id):
            return close(
                .failed,
                .unknown(step.request, message),
                error: "the new product \(id) is not as sent (\(problems.joined(separator: "; "))) and could not be "
                    + "deleted again yet\(operation.succession == nil ? "" : ", \(oldProduct) stays"): \(message)"
            )
        }
    }

    mutating func suspend(_ create: LostCreate) -> Action {
        state = .recording(.lost(create))
        return .record(.unknown(.create, create.trouble, answered: create.answered), [])
    }

    /// The market does not have the product of a create that got no reply.
    mutating func createAgain(_ create: LostCreate, _ now: Context) -> Action {
        recreations += 1
        // It refused the create, and would refuse it again.
        if create.objection != nil { return close(.failed, .failed(unmade(create.trouble))) }
        let message = "the create got no reply, and the market does not have the product: \(create.trouble)"
        if now.isStopping, !isOldDeleted { return close(.skipped, .skipped(message)) }
        guard !now.isStopping, recreations <= configuration.maximumRecreations else {
            return close(.failed, .failed(unmade(message)))
        }
        begunAt = now.elapsed
        return announce(Attempt(.create(create.product)), now)
    }
}
