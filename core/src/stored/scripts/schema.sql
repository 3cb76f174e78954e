-- The table of states and what reads and writes it. See docs/stores.md. Can be run again at any time, also
-- by several processes at once.
SELECT pg_advisory_xact_lock(8387245913617951090);

CREATE TABLE IF NOT EXISTS tokenweir (
    key text COLLATE "C" PRIMARY KEY,
    state bytea NOT NULL,
    expires_at timestamptz NOT NULL
-- Room in each page lets an update stay in it, and expires_at has no index so that none is updated.
) WITH (fillfactor = 50);

-- The server's time in microseconds since the Unix epoch.
CREATE OR REPLACE FUNCTION tokenweir_now() RETURNS bigint
LANGUAGE sql VOLATILE AS $$
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint
$$;

-- Writes the state of a key if it has not changed since it was read: `same` says so. Otherwise `present` is
-- the state now, NULL for none. `expected` NULL means that there was none, `wanted` NULL leaves what is there.
-- `as_of` is the instant of the decision in microseconds.
CREATE OR REPLACE FUNCTION tokenweir_compare_and_set(
    name text, expected bytea, wanted bytea, keep_ms bigint, as_of bigint,
    OUT same boolean, OUT now_us bigint, OUT present bytea
) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    -- A decision made ahead of this clock would grant what is not there yet.
    IF as_of > tokenweir_now() OR wanted IS NULL THEN
        same := false;
    ELSIF expected IS NULL THEN
        INSERT INTO tokenweir AS stored (key, state, expires_at)
        VALUES (name, wanted, clock_timestamp() + keep_ms * interval '1 millisecond')
        ON CONFLICT (key) DO UPDATE SET state = EXCLUDED.state, expires_at = EXCLUDED.expires_at
            WHERE stored.expires_at <= clock_timestamp();
        same := FOUND;
    ELSE
        UPDATE tokenweir
        SET state = wanted, expires_at = clock_timestamp() + keep_ms * interval '1 millisecond'
        WHERE key = name AND state = expected AND expires_at > clock_timestamp();
        same := FOUND;
    END IF;
    now_us := tokenweir_now();
    IF NOT same THEN
        SELECT state INTO present FROM tokenweir WHERE key = name AND expires_at > clock_timestamp();
        same := wanted IS NULL AND as_of <= now_us AND present IS NOT DISTINCT FROM expected;
    END IF;
END
$$;

-- As tokenweir_compare_and_set for several keys: all are written or none. Rows are locked in the order of
-- their names, so that two such decisions never wait for each other.
CREATE OR REPLACE FUNCTION tokenweir_compare_and_set_all(
    names text[], expected bytea[], wanted bytea[], keep_ms bigint[], as_of bigint,
    OUT same boolean, OUT now_us bigint, OUT present bytea[]
) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    place integer;
BEGIN
    BEGIN
        FOR place IN
            SELECT i FROM generate_subscripts(names, 1) AS i ORDER BY names[i] COLLATE "C"
        LOOP
            SELECT one.same INTO same FROM tokenweir_compare_and_set(
                names[place], expected[place], wanted[place], keep_ms[place], as_of) AS one;
            IF NOT same THEN
                -- Takes back what was written in this block.
                RAISE EXCEPTION USING ERRCODE = 'TW001';
            END IF;
        END LOOP;
    EXCEPTION WHEN SQLSTATE 'TW001' THEN
        present := ARRAY(
            SELECT stored.state
            FROM unnest(names) WITH ORDINALITY AS wish (name, place)
            LEFT JOIN tokenweir AS stored ON stored.key = wish.name AND stored.expires_at > clock_timestamp()
            ORDER BY wish.place);
    END;
    now_us := tokenweir_now();
END
$$;

-- Deletes the expired among the `most` keys that come next after `after`; '' begins anew. `next` is the last
-- of them, NULL at the end.
CREATE OR REPLACE FUNCTION tokenweir_sweep(after text, most integer, OUT next text, OUT deleted bigint)
LANGUAGE sql VOLATILE AS $$
    WITH page AS (
        SELECT key FROM tokenweir WHERE key > after ORDER BY key LIMIT most
    ), expired AS (
        SELECT key FROM tokenweir
        WHERE key IN (SELECT key FROM page) AND expires_at <= clock_timestamp()
        FOR UPDATE SKIP LOCKED
    ), gone AS (
        DELETE FROM tokenweir WHERE key IN (SELECT key FROM expired) RETURNING 1
    )
    SELECT CASE WHEN count(*) = most THEN max(key) END, (SELECT count(*) FROM gone) FROM page
$$;
