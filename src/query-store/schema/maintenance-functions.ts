// The functions for those who look after a store: indexes, pruning, going back, redaction. Names, arguments and errors are
// those of the Participant Query Store.

const ownPath = 'SET search_path FROM CURRENT'

/** A template has its own table, made when it first needs one; attaching one does not wait for readers. */
export const indexFunctions = `
CREATE PROCEDURE __ensure_partition(tpe_pk bigint) LANGUAGE plpgsql ${ownPath} AS $$
DECLARE
  name text := '__contracts_' || tpe_pk;
BEGIN
  IF to_regclass(quote_ident(name)) IS NULL THEN
    EXECUTE format('CREATE TABLE %I (LIKE __contracts, CHECK (tpe_pk = %s))', name, tpe_pk);
    EXECUTE format('ALTER TABLE %I ALTER COLUMN metadata SET STORAGE EXTERNAL', name);
    EXECUTE format('ALTER TABLE __contracts ATTACH PARTITION %I FOR VALUES IN (%s)', name, tpe_pk);
  END IF;
END $$;

CREATE FUNCTION print_create_index_for_contract(name text, qname text, expression text, index_type text,
  index_opclass text DEFAULT '', use_concurrently boolean DEFAULT true)
RETURNS text LANGUAGE plpgsql ${ownPath} AS $$
DECLARE
  place text := '__contracts_' || __type_named(qname);
BEGIN
  CALL __ensure_partition(__type_named(qname));
  RETURN format('create index %sif not exists %I on %I using %s(%s %s)',
    CASE WHEN use_concurrently THEN 'concurrently ' ELSE '' END,
    place || '_' || name || '_idx', place, index_type, expression, index_opclass);
END $$;

CREATE PROCEDURE create_index_for_contract(name text, qname text, expression text, index_type text,
  index_opclass text DEFAULT '')
LANGUAGE plpgsql ${ownPath} AS $$
BEGIN
  EXECUTE print_create_index_for_contract(name, qname, expression, index_type, index_opclass, false);
END $$;
`

/** Checks an offset to prune up to, and returns the first transaction that stays. No row: it was done before. */
const pruning = `
CREATE FUNCTION __pruning_boundary(max_offset bigint, is_done boolean) RETURNS SETOF checkpoint
LANGUAGE plpgsql STABLE ${ownPath} AS $$
DECLARE
  latest bigint := (SELECT c."offset" FROM latest_checkpoint() c);
BEGIN
  IF is_done THEN
    RAISE WARNING 'Already pruned past offset %, nothing to do.', pruned_offset();
    RETURN;
  ELSIF max_offset < (SELECT c."offset" FROM oldest_checkpoint() c) THEN
    RAISE EXCEPTION 'Illegal pruning offset % is outside lower bounds of contiguous history', max_offset;
  ELSIF max_offset > latest THEN
    RAISE EXCEPTION 'Illegal pruning offset % is beyond upper bounds of contiguous history', max_offset;
  END IF;
  RETURN QUERY SELECT t."offset", t.ix FROM __transactions t WHERE t."offset" > max_offset ORDER BY t."offset" LIMIT 1;
  IF NOT FOUND THEN
    RAISE EXCEPTION
      'Illegal pruning offset % coincides with latest consistent checkpoint of contiguous history', max_offset;
  END IF;
END $$;

-- What a pruning up to the boundary, which stays, takes away.
CREATE FUNCTION __prunable(boundary_ix bigint)
RETURNS TABLE (contracts integer, exercises integer, events integer, transactions integer)
LANGUAGE plpgsql STABLE ${ownPath} AS $$
BEGIN
  RETURN QUERY
    WITH gone AS (
      SELECT t.payload_type = 'template' AS has_events, c.archived_at_ix < boundary_ix AS is_archived FROM __contracts c
        JOIN __contract_tpe t ON t.pk = c.tpe_pk
      WHERE c.archived_at_ix < boundary_ix OR (c.divulged_only AND c.created_at_ix < boundary_ix)
    ), counts AS (
      SELECT count(*) AS rows,
        count(*) FILTER (WHERE has_events) + count(*) FILTER (WHERE has_events AND is_archived) AS events FROM gone
    ), exercised AS (
      SELECT count(*) AS rows FROM __exercises e WHERE e.exercised_at_ix < boundary_ix
    )
    SELECT counts.rows::integer, exercised.rows::integer, (counts.events + exercised.rows)::integer,
      (SELECT count(*)::integer FROM __transactions t WHERE t.ix < boundary_ix AND NOT EXISTS (
        SELECT FROM __contracts c WHERE c.created_at_ix = t.ix AND NOT c.divulged_only
          AND (c.archived_at_ix IS NULL OR c.archived_at_ix >= boundary_ix)))
    FROM counts, exercised;
END $$;

CREATE PROCEDURE __delete_before(boundary_ix bigint) LANGUAGE plpgsql ${ownPath} AS $$
BEGIN
  DELETE FROM __contracts c
  WHERE c.archived_at_ix < boundary_ix OR (c.divulged_only AND c.created_at_ix < boundary_ix);
  DELETE FROM __exercises e WHERE e.exercised_at_ix < boundary_ix;
END $$;

CREATE FUNCTION prune_archived_to_offset_dry_run(max_pruned_offset bigint)
RETURNS TABLE (pruning_boundary_offset bigint, deleted_contracts integer, deleted_exercises integer,
  deleted_events integer, deleted_transactions integer)
LANGUAGE plpgsql STRICT ${ownPath} AS $$
DECLARE
  boundary checkpoint;
BEGIN
  SELECT b.* INTO boundary FROM __pruning_boundary(max_pruned_offset,
    coalesce(max_pruned_offset <= pruned_offset(), false)) b;
  IF boundary IS NULL THEN
    RETURN QUERY SELECT NULL::bigint, 0, 0, 0, 0;
  ELSE
    RETURN QUERY SELECT boundary."offset", p.* FROM __prunable(boundary.ix) p;
  END IF;
END $$;

CREATE FUNCTION prune_archived_to_offset(max_pruned_offset bigint)
RETURNS TABLE (pruning_boundary_offset bigint, deleted_contracts integer, deleted_exercises integer,
  deleted_events integer, deleted_transactions integer)
LANGUAGE plpgsql STRICT ${ownPath} AS $$
DECLARE
  boundary_ix bigint;
BEGIN
  LOCK TABLE __pruning_metadata IN SHARE UPDATE EXCLUSIVE MODE;
  SELECT d.* INTO pruning_boundary_offset, deleted_contracts, deleted_exercises, deleted_events, deleted_transactions
  FROM prune_archived_to_offset_dry_run(max_pruned_offset) d;
  IF pruning_boundary_offset IS NOT NULL THEN
    boundary_ix := (SELECT t.ix FROM __transactions t WHERE t."offset" = pruning_boundary_offset);
    CALL __delete_before(boundary_ix);
    DELETE FROM __transactions t
    WHERE t.ix < boundary_ix AND NOT EXISTS (SELECT FROM __contracts c WHERE c.created_at_ix = t.ix);
    UPDATE __pruning_metadata SET pruned_offset = max_pruned_offset;
  END IF;
  RETURN NEXT;
END $$;

CREATE FUNCTION validate_pruning_offset(min_offset bigint)
RETURNS TABLE (squash_inclusive bigint, new_oldest bigint, affected_transactions integer)
LANGUAGE plpgsql STRICT ${ownPath} AS $$
BEGIN
  squash_inclusive := coalesce((SELECT min(t."offset") FROM __transactions t WHERE t."offset" >= min_offset), min_offset);
  new_oldest := (SELECT b."offset" FROM __pruning_boundary(
    CASE WHEN min_offset < (SELECT c."offset" FROM oldest_checkpoint() c) THEN min_offset ELSE squash_inclusive END,
    coalesce(min_offset < pruned_offset(), false)) b);
  IF new_oldest IS NOT NULL THEN
    affected_transactions := (SELECT count(*) FROM __transactions t WHERE t."offset" <= squash_inclusive);
    RETURN NEXT;
  END IF;
END $$;

CREATE FUNCTION prune_to_offset(min_offset bigint)
RETURNS TABLE (squash_inclusive bigint, new_oldest bigint, affected_transactions integer)
LANGUAGE plpgsql STRICT ${ownPath} AS $$
DECLARE
  boundary __transactions;
BEGIN
  RAISE WARNING 'Function prune_to_offset(%) is DEPRECATED.', min_offset
    USING HINT = 'Use prune_archived_to_offset, which keeps when contracts were created.';
  LOCK TABLE __pruning_metadata IN SHARE UPDATE EXCLUSIVE MODE;
  SELECT v.* INTO squash_inclusive, new_oldest, affected_transactions FROM validate_pruning_offset(min_offset) v;
  IF new_oldest IS NULL THEN
    affected_transactions := 0;
  ELSE
    SELECT t.* INTO boundary FROM __transactions t WHERE t."offset" = new_oldest;
    CALL __delete_before(boundary.ix);
    UPDATE __contracts c SET created_at_ix = boundary.ix, created_at_offset = boundary."offset",
      created_effective_at = boundary.effective_at
    WHERE c.created_at_ix < boundary.ix;
    DELETE FROM __transactions t WHERE t.ix < boundary.ix;
    UPDATE __pruning_metadata SET pruned_offset = new_oldest;
  END IF;
  RETURN NEXT;
END $$;
`

/** The store forgets what came after an offset; whoever writes it has to begin again from there. */
const resetting = `
CREATE FUNCTION validate_reset_offset(max_offset bigint)
RETURNS TABLE (new_latest bigint, affected_transactions integer)
LANGUAGE plpgsql STRICT ${ownPath} AS $$
BEGIN
  IF max_offset < (SELECT c."offset" FROM oldest_checkpoint() c) THEN
    RAISE EXCEPTION 'Illegal reset offset % is outside lower bounds of contiguous history', max_offset;
  ELSIF max_offset > (SELECT c."offset" FROM latest_checkpoint() c) THEN
    RAISE EXCEPTION 'Illegal reset offset % is beyond upper bounds of contiguous history', max_offset;
  END IF;
  new_latest := (SELECT max(t."offset") FROM __transactions t WHERE t."offset" <= max_offset);
  affected_transactions := (SELECT count(*) FROM __transactions t WHERE t."offset" > new_latest);
  RETURN NEXT;
END $$;

CREATE FUNCTION reset_to_offset(max_offset bigint)
RETURNS TABLE (new_latest bigint, affected_transactions integer)
LANGUAGE plpgsql STRICT ${ownPath} AS $$
DECLARE
  last_ix bigint;
BEGIN
  LOCK TABLE __watermark IN EXCLUSIVE MODE NOWAIT;
  LOCK TABLE __pruning_metadata IN SHARE UPDATE EXCLUSIVE MODE NOWAIT;
  SELECT v.* INTO new_latest, affected_transactions FROM validate_reset_offset(max_offset) v;
  last_ix := (SELECT t.ix FROM __transactions t WHERE t."offset" = new_latest);
  DELETE FROM __contracts c WHERE c.created_at_ix > last_ix;
  UPDATE __contracts c SET archive_event_pk = NULL, archive_node_id = NULL, archived_at_ix = NULL,
    archived_at_offset = NULL, archived_effective_at = NULL
  WHERE c.archived_at_ix > last_ix;
  DELETE FROM __exercises e WHERE e.exercised_at_ix > last_ix;
  DELETE FROM __transactions t WHERE t.ix > last_ix;
  UPDATE __watermark SET ix = last_ix, "offset" = new_latest, instance_id = gen_random_uuid();
  UPDATE __pruning_metadata SET pruned_offset = least(pruned_offset, new_latest) WHERE pruned_offset IS NOT NULL;
  RETURN NEXT;
END $$;
`

const redaction = `
CREATE FUNCTION redact_contract(contract_id text, redaction_id text) RETURNS integer
LANGUAGE plpgsql STRICT ${ownPath} AS $$
DECLARE
  redacted integer;
BEGIN
  IF EXISTS (SELECT FROM __contracts c WHERE c.contract_id = redact_contract.contract_id AND c.archived_at_ix IS NULL) THEN
    RAISE EXCEPTION 'Cannot redact contract % because it is active', contract_id;
  ELSIF EXISTS (SELECT FROM __contracts c
      WHERE c.contract_id = redact_contract.contract_id AND c.redaction_id IS NOT NULL) THEN
    RAISE EXCEPTION 'Cannot redact contract % because it is already redacted', contract_id;
  END IF;
  UPDATE __contracts c SET payload = NULL, contract_key = NULL, contract_key_hash = NULL, metadata = NULL,
    redaction_id = redact_contract.redaction_id
  WHERE c.contract_id = redact_contract.contract_id;
  GET DIAGNOSTICS redacted = ROW_COUNT;
  IF redacted = 0 THEN
    RAISE EXCEPTION 'Cannot find contract %', contract_id;
  END IF;
  RETURN redacted;
END $$;

CREATE FUNCTION redact_exercise(event_id event_id, redaction_id text) RETURNS void
LANGUAGE plpgsql STRICT ${ownPath} AS $$
DECLARE
  found_redaction text;
  found_pk bigint;
BEGIN
  SELECT e.exercise_event_pk, e.redaction_id INTO found_pk, found_redaction FROM __exercises e
    JOIN __transactions t ON t.ix = e.exercised_at_ix
  WHERE t."offset" = (redact_exercise.event_id)."offset" AND e.exercise_node_id = (redact_exercise.event_id).node_id;
  IF found_pk IS NULL THEN
    RAISE EXCEPTION 'Cannot find exercise with event ID %', event_id;
  ELSIF found_redaction IS NOT NULL THEN
    RAISE EXCEPTION 'Cannot redact exercise with event ID % because it is already redacted', event_id;
  END IF;
  UPDATE __exercises e SET argument = NULL, result = NULL, redaction_id = redact_exercise.redaction_id
  WHERE e.exercise_event_pk = found_pk;
END $$;
`

export const maintenanceFunctions = `${pruning}${resetting}${redaction}`
