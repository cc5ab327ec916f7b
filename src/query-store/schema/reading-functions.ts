// The functions that applications ask: offsets, contracts, exercises, summaries. Names, arguments, defaults and errors are
// those of the Participant Query Store. Functions in SQL have bodies that PostgreSQL binds when they are created, so they
// work whatever the search path of a session is, and it expands them in place, so conditions reach the user's indexes.

/** A session may see the ledger up to an offset of its choice; the settings' names are PQS's. */
export const offsetFunctions = `
CREATE FUNCTION latest_checkpoint() RETURNS SETOF checkpoint LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
  SELECT "offset", ix FROM __watermark WHERE "offset" IS NOT NULL;
END;

CREATE FUNCTION oldest_checkpoint() RETURNS SETOF checkpoint LANGUAGE sql STABLE PARALLEL SAFE ROWS 1
BEGIN ATOMIC
  SELECT "offset", ix FROM __transactions ORDER BY "offset" LIMIT 1;
END;

CREATE FUNCTION latest_offset() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(nullif(current_setting('pqs.session_offset_latest', true), '')::bigint,
    (SELECT "offset" FROM latest_checkpoint()));
END;

CREATE FUNCTION oldest_offset() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT coalesce(nullif(current_setting('pqs.session_offset_oldest', true), '')::bigint,
    (SELECT "offset" FROM oldest_checkpoint()));
END;

CREATE FUNCTION pruned_offset() RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT pruned_offset FROM __pruning_metadata;
END;

CREATE FUNCTION validate_offset_exists("offset" bigint) RETURNS bigint
LANGUAGE plpgsql STABLE STRICT SET search_path FROM CURRENT AS $$
BEGIN
  IF "offset" < (SELECT c."offset" FROM oldest_checkpoint() c) THEN
    RAISE EXCEPTION 'Illegal offset % is outside lower bounds of contiguous history', "offset";
  ELSIF "offset" > (SELECT c."offset" FROM latest_checkpoint() c) THEN
    RAISE EXCEPTION 'Illegal offset % is beyond upper bounds of contiguous history', "offset";
  END IF;
  RETURN "offset";
END $$;

CREATE FUNCTION set_latest("offset" bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('pqs.session_offset_latest', coalesce(validate_offset_exists("offset")::text, ''), false);
  RETURN latest_offset();
END $$;

CREATE FUNCTION set_oldest("offset" bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM set_config('pqs.session_offset_oldest', coalesce(validate_offset_exists("offset")::text, ''), false);
  RETURN oldest_offset();
END $$;

CREATE FUNCTION nearest_offset(cutoff_ts timestamptz) RETURNS bigint LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
  SELECT max(t."offset") FROM __transactions t, __watermark w
  WHERE t.effective_at <= cutoff_ts AND t."offset" <= w."offset";
END;

CREATE FUNCTION nearest_offset(cutoff interval) RETURNS bigint LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
  SELECT nearest_offset(now() - cutoff);
END;

CREATE FUNCTION __refuse_unknown_offset("offset" bigint) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
  IF "offset" > latest_offset() THEN
    RAISE EXCEPTION 'Offset % is after the latest known offset %', "offset", latest_offset();
  ELSIF "offset" < oldest_offset() THEN
    RAISE EXCEPTION 'Offset % is before the oldest known offset %', "offset", oldest_offset();
  END IF;
END $$;

-- The last transaction up to an offset, and the first from it on.
CREATE FUNCTION __last_ix("offset" bigint) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM __refuse_unknown_offset("offset");
  RETURN (SELECT t.ix FROM __transactions t WHERE t."offset" <= __last_ix."offset" ORDER BY t."offset" DESC LIMIT 1);
END $$;

CREATE FUNCTION __first_ix("offset" bigint) RETURNS bigint
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM __refuse_unknown_offset("offset");
  RETURN (SELECT t.ix FROM __transactions t WHERE t."offset" >= __first_ix."offset" ORDER BY t."offset" LIMIT 1);
END $$;
`

/**
 * Names are looked up by functions that claim to be immutable: a name keeps its number for good, and so the planner looks
 * only at the table of that template.
 */
export const nameFunctions = `
CREATE FUNCTION __only_one(candidates bigint[], qname text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF cardinality(candidates) = 0 THEN
    RAISE EXCEPTION 'Identifier not found: %', qname;
  ELSIF cardinality(candidates) > 1 THEN
    RAISE EXCEPTION 'Ambiguous identifier: %', qname;
  END IF;
  RETURN candidates[1];
END $$;

CREATE FUNCTION __type_named(qname text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN __only_one(ARRAY(SELECT pk FROM __contract_tpe WHERE aliases @> ARRAY[qname] LIMIT 2), qname);
END $$;

CREATE FUNCTION __choice_named(qname text) RETURNS bigint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path FROM CURRENT AS $$
BEGIN
  RETURN __only_one(ARRAY(SELECT pk FROM __exercise_tpe WHERE aliases @> ARRAY[qname] LIMIT 2), qname);
END $$;
`

const contractColumns = (witnesses: string) => `
    t.template_fqn, t.payload_type,
    c.create_event_pk, ROW(c.create_event_offset, c.create_node_id)::event_id, c.created_at_ix, c.created_at_offset,
    c.archive_event_pk,
    CASE WHEN c.archived_at_ix IS NOT NULL THEN ROW(c.archived_at_offset, c.archive_node_id)::event_id END,
    c.archived_at_ix, c.archived_at_offset, int8range(c.created_at_ix, c.archived_at_ix),
    c.contract_id, c.payload, c.contract_key, c.metadata, c.created_effective_at, c.archived_effective_at,
    c.redaction_id, p.name, p.version, p.id, c.signatories, c.observers, ${witnesses}, c.divulged_only,
    coalesce(c.creation_package_id, p.id), c.contract_key_hash
  FROM __contracts c
    LEFT JOIN __contract_tpe t ON t.pk = c.tpe_pk
    LEFT JOIN __packages p ON p.pk = c.package_pk`

const contracts = contractColumns('c.witnesses')
/** Who witnessed the creation need not have witnessed the archival. */
const archivedContracts = contractColumns("'{}'::text[]")

const exercises = `
    t.template_fqn, t.choice_fqn, t.choice, t.consuming,
    e.exercise_event_pk, ROW(e.exercised_at_offset, e.exercise_node_id)::event_id, e.exercised_at_ix,
    e.exercised_at_offset, e.contract_id, e.argument, e.result, e.exercised_effective_at, e.redaction_id,
    p.name, p.version, p.id, c.signatories, c.observers, e.controllers, e.last_descendant_node_id, e.witnesses
  FROM __exercises e
    LEFT JOIN __exercise_tpe t ON t.pk = e.tpe_pk
    LEFT JOIN __packages p ON p.pk = e.package_pk
    LEFT JOIN __contracts c ON c.contract_id = e.contract_id AND c.tpe_pk = e.contract_tpe_pk`

const isOfType = '(qname IS NULL OR c.tpe_pk = __type_named(qname))'
const isOfChoice = '(qname IS NULL OR e.tpe_pk = __choice_named(qname))'
const isActive = `c.created_at_ix <= (SELECT __last_ix("offset"))
    AND (c.archived_at_ix IS NULL OR c.archived_at_ix > (SELECT __last_ix("offset")))
    AND NOT c.divulged_only`
const isInRange = (column: string) =>
  `${column} BETWEEN (SELECT __first_ix(from_offset)) AND (SELECT __last_ix(to_offset))`

const fromOldest = 'from_offset bigint DEFAULT oldest_offset(), to_offset bigint DEFAULT latest_offset()'
/** What was pruned has left no archives and no exercises. */
const fromUnpruned = `from_offset bigint DEFAULT coalesce(pruned_offset(), oldest_offset()),
  to_offset bigint DEFAULT latest_offset()`

export const eventFunctions = `
CREATE FUNCTION active(qname text DEFAULT NULL, "offset" bigint DEFAULT latest_offset())
RETURNS SETOF contract LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT ${contracts}
  WHERE ${isOfType} AND ${isActive};
END;

CREATE FUNCTION creates(qname text DEFAULT NULL, ${fromOldest})
RETURNS SETOF contract LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT ${contracts}
  WHERE ${isOfType} AND ${isInRange('c.created_at_ix')};
END;

CREATE FUNCTION archives(qname text DEFAULT NULL, ${fromUnpruned})
RETURNS SETOF contract LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT ${archivedContracts}
  WHERE ${isOfType} AND ${isInRange('c.archived_at_ix')};
END;

CREATE FUNCTION exercises(qname text DEFAULT NULL, ${fromUnpruned})
RETURNS SETOF exercise LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT ${exercises}
  WHERE ${isOfChoice} AND ${isInRange('e.exercised_at_ix')};
END;

CREATE FUNCTION lookup_contract(contract_id text, qname text DEFAULT NULL)
RETURNS SETOF contract LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT ${contracts}
  WHERE ${isOfType} AND c.contract_id = lookup_contract.contract_id;
END;

CREATE FUNCTION lookup_exercises(contract_id text, qname text DEFAULT NULL)
RETURNS SETOF exercise LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT ${exercises}
  WHERE ${isOfChoice} AND e.contract_id = lookup_exercises.contract_id;
END;

CREATE FUNCTION stakeholders(c contract) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT array_agg(DISTINCT party) FROM unnest(c.signatories || c.observers) AS party;
END;

CREATE FUNCTION stakeholders(e exercise) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT array_agg(DISTINCT party) FROM unnest(e.signatories || e.observers) AS party;
END;
`

const countContracts = (name: string, parameters: string, condition: string) => `
CREATE FUNCTION ${name}(${parameters})
RETURNS SETOF contract_summary LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT t.template_fqn, t.payload_type, s.count
  FROM (SELECT c.tpe_pk, count(*) AS count FROM __contracts c WHERE ${condition} GROUP BY c.tpe_pk) s
    JOIN __contract_tpe t ON t.pk = s.tpe_pk;
END;
`

export const summaryFunctions = `
${countContracts('summary_active', '"offset" bigint DEFAULT latest_offset()', isActive)}
${countContracts('summary_creates', fromOldest, isInRange('c.created_at_ix'))}
${countContracts('summary_archives', fromUnpruned, isInRange('c.archived_at_ix'))}
${countContracts(
  'summary_transients',
  fromUnpruned,
  `${isInRange('c.created_at_ix')} AND ${isInRange('c.archived_at_ix')} AND NOT c.divulged_only`,
)}
CREATE FUNCTION summary_exercises(${fromUnpruned})
RETURNS TABLE (template_fqn text, choice_fqn text, choice text, consuming boolean, count bigint)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT t.template_fqn, t.choice_fqn, t.choice, t.consuming, s.count
  FROM (SELECT e.tpe_pk, count(*) AS count FROM __exercises e
      WHERE ${isInRange('e.exercised_at_ix')} GROUP BY e.tpe_pk) s
    JOIN __exercise_tpe t ON t.pk = s.tpe_pk;
END;

CREATE FUNCTION summary_updates(${fromOldest})
RETURNS TABLE (template_fqn text, payload_type __payload_type, creates bigint, archives bigint)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT t.template_fqn, t.payload_type, s.creates, s.archives
  FROM (SELECT c.tpe_pk,
        count(*) FILTER (WHERE ${isInRange('c.created_at_ix')}) AS creates,
        count(*) FILTER (WHERE ${isInRange('c.archived_at_ix')}) AS archives
      FROM __contracts c
      WHERE ${isInRange('c.created_at_ix')} OR ${isInRange('c.archived_at_ix')}
      GROUP BY c.tpe_pk) s
    JOIN __contract_tpe t ON t.pk = s.tpe_pk;
END;
`
