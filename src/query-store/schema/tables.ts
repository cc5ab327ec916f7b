// The tables and types of a query store. Composite types and the names that applications use are those of the
// Participant Query Store; how rows are kept is ours: docs/decisions/query-store.md says why.

/** The columns that functions return and applications select: their names, types and order are public. */
export const types = `
CREATE TYPE __payload_type AS ENUM ('template', 'interface');
CREATE TYPE __event_type AS ENUM ('create', 'archive', 'exercise');
CREATE TYPE event_id AS ("offset" bigint, node_id integer);
CREATE TYPE checkpoint AS ("offset" bigint, ix bigint);
CREATE TYPE trace_context AS (trace_parent text, trace_state text);
CREATE TYPE contract_summary AS (template_fqn text, payload_type __payload_type, count bigint);
CREATE TYPE contract AS (
  template_fqn text,
  payload_type __payload_type,
  create_event_pk bigint,
  create_event_id event_id,
  created_at_ix bigint,
  created_at_offset bigint,
  archive_event_pk bigint,
  archive_event_id event_id,
  archived_at_ix bigint,
  archived_at_offset bigint,
  life_ix int8range,
  contract_id text,
  payload jsonb,
  contract_key jsonb,
  metadata bytea,
  created_effective_at timestamptz,
  archived_effective_at timestamptz,
  redaction_id text,
  package_name text,
  package_version text,
  package_id text,
  signatories text[],
  observers text[],
  witnesses text[],
  divulged_only boolean,
  creation_package_id text,
  contract_key_hash bytea
);
CREATE TYPE exercise AS (
  template_fqn text,
  choice_fqn text,
  choice text,
  consuming boolean,
  exercise_event_pk bigint,
  exercise_event_id event_id,
  exercised_at_ix bigint,
  exercised_at_offset bigint,
  contract_id text,
  argument jsonb,
  result jsonb,
  exercised_effective_at timestamptz,
  redaction_id text,
  package_name text,
  package_version text,
  package_id text,
  signatories text[],
  observers text[],
  controllers text[],
  last_descendant_node_id integer,
  witnesses text[]
);
`

/**
 * A row of __contracts has all that a reader gets, so that reading joins nothing but the names. A contract has a row for
 * its template and one for each interface view.
 */
export const tables = `
CREATE TABLE __packages (
  pk bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL,
  version text NOT NULL,
  id text NOT NULL UNIQUE,
  is_read boolean NOT NULL
);

CREATE TABLE __contract_tpe (
  pk bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  payload_type __payload_type NOT NULL,
  package_name text NOT NULL,
  module_name text NOT NULL,
  entity_name text NOT NULL,
  template_fqn text NOT NULL UNIQUE,
  aliases text[] NOT NULL
);
CREATE INDEX __contract_tpe_aliases ON __contract_tpe USING gin (aliases);

CREATE TABLE __exercise_tpe (
  pk bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  package_name text NOT NULL,
  module_name text NOT NULL,
  entity_name text NOT NULL,
  choice text NOT NULL,
  consuming boolean NOT NULL,
  template_fqn text NOT NULL,
  choice_fqn text NOT NULL UNIQUE,
  aliases text[] NOT NULL
);
CREATE INDEX __exercise_tpe_aliases ON __exercise_tpe USING gin (aliases);

CREATE TABLE __contract_implements (
  template_pk bigint NOT NULL,
  interface_pk bigint NOT NULL,
  PRIMARY KEY (template_pk, interface_pk)
);

CREATE TABLE __transactions (
  ix bigint PRIMARY KEY,
  "offset" bigint NOT NULL UNIQUE,
  transaction_id text,
  effective_at timestamptz,
  workflow_id text,
  synchronizer_id text,
  trace_context trace_context,
  external_transaction_hash bytea,
  paid_traffic_cost bigint
);
CREATE INDEX __transactions_effective_at ON __transactions (effective_at);

CREATE TABLE __contracts (
  tpe_pk bigint NOT NULL,
  create_event_pk bigint NOT NULL,
  create_event_offset bigint NOT NULL,
  create_node_id integer NOT NULL,
  created_at_ix bigint NOT NULL,
  created_at_offset bigint NOT NULL,
  created_effective_at timestamptz,
  archive_event_pk bigint,
  archive_node_id integer,
  archived_at_ix bigint,
  archived_at_offset bigint,
  archived_effective_at timestamptz,
  contract_id text NOT NULL,
  payload jsonb,
  contract_key jsonb,
  contract_key_hash bytea,
  metadata bytea,
  redaction_id text,
  package_pk bigint NOT NULL,
  creation_package_id text,
  signatories text[] NOT NULL,
  observers text[] NOT NULL,
  witnesses text[] NOT NULL,
  divulged_only boolean NOT NULL,
  PRIMARY KEY (contract_id, tpe_pk)
) PARTITION BY LIST (tpe_pk);
CREATE INDEX __contracts_created ON __contracts (created_at_ix);
CREATE INDEX __contracts_archived ON __contracts (archived_at_ix);

CREATE TABLE __exercises (
  tpe_pk bigint NOT NULL,
  contract_tpe_pk bigint NOT NULL,
  exercise_event_pk bigint PRIMARY KEY,
  exercise_node_id integer NOT NULL,
  exercised_at_ix bigint NOT NULL,
  exercised_at_offset bigint NOT NULL,
  exercised_effective_at timestamptz,
  contract_id text NOT NULL,
  argument jsonb,
  result jsonb,
  redaction_id text,
  package_pk bigint NOT NULL,
  controllers text[] NOT NULL,
  witnesses text[] NOT NULL,
  last_descendant_node_id integer NOT NULL
);
CREATE INDEX __exercises_ix ON __exercises (exercised_at_ix);
CREATE INDEX __exercises_tpe ON __exercises (tpe_pk, exercised_at_ix);
CREATE INDEX __exercises_contract ON __exercises (contract_id);

CREATE TABLE __watermark (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  ix bigint,
  "offset" bigint,
  event_pk bigint NOT NULL DEFAULT 0,
  instance_id text
);
INSERT INTO __watermark DEFAULT VALUES;

CREATE TABLE __pruning_metadata (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  pruned_offset bigint
);
INSERT INTO __pruning_metadata DEFAULT VALUES;

CREATE TABLE __source (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  participant_id text NOT NULL,
  parties text[],
  data_source text NOT NULL,
  contracts text NOT NULL
);

CREATE TABLE __definitions (
  name text PRIMARY KEY,
  definition text NOT NULL
);
`

/** What applications read beside the functions. An event is part of the row that it made. */
export const views = `
CREATE VIEW __events AS
  SELECT create_event_pk AS pk, created_at_ix AS tx_ix,
    ROW(create_event_offset, create_node_id)::event_id AS event_id, 'create'::__event_type AS type
  FROM __contracts c JOIN __contract_tpe t ON t.pk = c.tpe_pk AND t.payload_type = 'template'
  UNION ALL
  SELECT archive_event_pk, archived_at_ix, ROW(archived_at_offset, archive_node_id)::event_id, 'archive'
  FROM __contracts c JOIN __contract_tpe t ON t.pk = c.tpe_pk AND t.payload_type = 'template'
  WHERE archived_at_ix IS NOT NULL
  UNION ALL
  SELECT exercise_event_pk, exercised_at_ix, ROW(exercised_at_offset, exercise_node_id)::event_id, 'exercise'
  FROM __exercises;

CREATE VIEW transactions AS
  SELECT ix, "offset", transaction_id, effective_at, workflow_id, trace_context, external_transaction_hash,
    paid_traffic_cost
  FROM __transactions
  WHERE "offset" BETWEEN oldest_offset() AND latest_offset();
`
