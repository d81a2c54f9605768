import OpenMarket

extension StateTables {
    /// The function that writes one change of a session: facts, entries, or both.
    var record: String { name("record") }
    /// The function that adds facts to the journal.
    var addFacts: String { name("add_facts") }
    /// The function that drops and writes entries of a market.
    var changeEntries: String { name("change_entries") }

    /// The statements that create or replace the functions.
    ///
    /// Repeated writes are functions because the server caches the plans of their statements, even with a pooler. A
    /// pooler cannot keep prepared statements. The functions run with the caller's rights.
    var functions: [String] {
        [
            """
            CREATE OR REPLACE FUNCTION \(addFacts)(session_id bigint, facts json) RETURNS void LANGUAGE plpgsql AS $$
            BEGIN
                INSERT INTO \(events) (session, \(Self.factColumns))
                SELECT session_id, \(Self.factColumns) FROM json_populate_recordset(NULL::\(events), facts);
            END
            $$;
            """,
            """
            -- Each key at most once in both lists. A product to drop has an id if the key has to mean that one.
            CREATE OR REPLACE FUNCTION \(changeEntries)(scope_id bigint, drops json, puts json, vendor_number bigint)
            RETURNS void LANGUAGE plpgsql AS $$
            DECLARE
                gone record;
            BEGIN
                -- One by one: a plan that joins may be chosen while there are few entries, and kept when there are
                -- many.
                FOR gone IN SELECT d.key, d.id FROM json_to_recordset(drops) AS d (key text, id text) LOOP
                    DELETE FROM \(entries) e
                    WHERE e.scope = scope_id AND e.key = gone.key AND e.id = coalesce(gone.id, e.id);
                END LOOP;
                IF puts IS NOT NULL THEN
                    INSERT INTO \(entries) (scope, \(EntryColumn.list))
                    SELECT scope_id, \(EntryColumn.list) FROM json_populate_recordset(NULL::\(entries), puts)
                    ON CONFLICT (scope, key) DO UPDATE SET \(Self.entryAssignments);
                END IF;
                IF vendor_number IS NOT NULL THEN
                    UPDATE \(scopes) s SET vendor = vendor_number
                    WHERE s.id = scope_id AND s.vendor IS DISTINCT FROM vendor_number;
                END IF;
            END
            $$;
            """,
            """
            -- No row, and no change, if this is not the session's next change, or the session has ended.
            CREATE OR REPLACE FUNCTION \(record)(
                session_id bigint, batch_number bigint, facts json, drops json, puts json, vendor_number bigint
            )
            RETURNS TABLE (
                valid_until bigint, stop_reason text, pause_left bigint, peers bigint, request_interval bigint
            ) LANGUAGE plpgsql AS $$
            DECLARE
                place record;
            BEGIN
                \(sessionUpdate(session: "session_id", batch: "batch_number"))
                    \(Self.heldColumns) INTO place;
                IF NOT FOUND THEN
                    RETURN;
                END IF;
                PERFORM \(addFacts)(session_id, facts);
                IF drops IS NOT NULL OR puts IS NOT NULL OR vendor_number IS NOT NULL THEN
                    PERFORM \(changeEntries)(place.scope, drops, puts, vendor_number);
                END IF;
                RETURN QUERY WITH held AS (SELECT place.scope, place.run, place.left_at, place.expires_at)
                    \(ordersSelect);
            END
            $$;
            """,
        ]
    }

    /// The columns of a fact, except its author and time.
    static let factColumns = """
        run, sequence, number, status, step, product, message, repeat_key, body_digest, picture_references
        """

    private static let entryAssignments = EntryColumn.allCases.dropFirst().map { "\($0.name) = excluded.\($0.name)" }
        .joined(separator: ", ")

    // MARK: - The row of a session

    /// Numbers a change, if it is the next one of a session that is not over.
    func sessionUpdate(session: String, batch: String) -> String {
        """
        UPDATE \(sessions) SET batch = \(batch), expires_at = clock_timestamp() + lease
        WHERE id = \(session) AND batch = \(batch) - 1 AND ended_at IS NULL
        """
    }

    /// The columns of a session's row that ``ordersSelect`` needs, as `held`.
    static let heldColumns = "RETURNING scope, run, left_at, expires_at"

    /// Selects how long the session is valid, and its orders.
    var ordersSelect: String {
        """
        SELECT \(Self.milliseconds("held.expires_at")),
            (SELECT r.stop FROM \(runs) r WHERE r.number = held.run AND held.left_at IS NULL),
            (SELECT greatest(0, extract(epoch FROM m.paused_until - clock_timestamp()) * 1000)::bigint
                FROM \(scopes) m WHERE m.id = held.scope),
            (SELECT count(*) FROM \(sessions) s
                WHERE s.scope = held.scope AND s.expires_at > clock_timestamp() AND s.ended_at IS NULL),
            (SELECT r.request_interval FROM \(runs) r WHERE r.number = held.run AND held.left_at IS NULL)
        FROM held
        """
    }
}
