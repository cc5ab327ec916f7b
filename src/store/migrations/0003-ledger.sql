-- The ledger. Updates are the log, appended in the order of their offsets; everything else is derived from it in the
-- same transaction. Parties, templates and synchronizers have numbers here, because they repeat in every row.

-- One row: the state of the ledger.
CREATE TABLE ledger (
  ledger_end BIGINT NOT NULL,
  last_contract BIGINT NOT NULL,
  last_name BIGINT NOT NULL,
  published_at BIGINT NOT NULL,
  pruned_up_to BIGINT NOT NULL,
  forgotten_up_to BIGINT NOT NULL,
  forgotten_at BIGINT NOT NULL
);
INSERT INTO ledger VALUES (0, 0, 0, 0, 0, 0, 0);

CREATE TABLE names (
  number BIGINT PRIMARY KEY,
  name SORTED_TEXT NOT NULL UNIQUE
);

CREATE TABLE synchronizers (
  number BIGINT PRIMARY KEY,
  id SORTED_TEXT NOT NULL UNIQUE,
  alias SORTED_TEXT NOT NULL UNIQUE,
  signing_key BYTEA NOT NULL,
  record_time BIGINT NOT NULL
);

-- `id_key` holds the first eight bytes of the hash in the update id: enough to find it, cheap to index.
-- `templates` lists the numbers of the templates of its events between commas: ",3,17,".
-- `meta` describes the pieces of JSON in `body` (engine/requests/served-transaction.ts).
CREATE TABLE updates (
  update_offset BIGINT PRIMARY KEY,
  id_key BIGINT NOT NULL,
  templates TEXT NOT NULL,
  meta TEXT NOT NULL,
  body BYTEA NOT NULL
);
CREATE INDEX updates_by_id ON updates (id_key);

-- The updates that each party sees.
CREATE TABLE update_parties (
  party BIGINT NOT NULL,
  update_offset BIGINT NOT NULL,
  templates TEXT NOT NULL,
  PRIMARY KEY (party, update_offset)
) /* clustered */;

-- Every created contract, in order. `event` is the JSON of its created event in two pieces, the first `event_cut` bytes
-- long; `stakeholders` lists their numbers between commas.
CREATE TABLE contracts (
  number BIGINT PRIMARY KEY,
  id_key BIGINT NOT NULL,
  contract_id TEXT NOT NULL,
  template BIGINT NOT NULL,
  created_offset BIGINT NOT NULL,
  node_id BIGINT NOT NULL,
  synchronizer BIGINT NOT NULL,
  workflow_id TEXT NOT NULL,
  stakeholders TEXT NOT NULL,
  key_hash TEXT,
  event_cut BIGINT NOT NULL,
  event BYTEA NOT NULL,
  blob BYTEA NOT NULL
);
CREATE INDEX contracts_by_id ON contracts (id_key);

CREATE TABLE archives (
  contract BIGINT PRIMARY KEY,
  archived_offset BIGINT NOT NULL
);
CREATE INDEX archives_by_offset ON archives (archived_offset);

-- The active contracts of each stakeholder; party 0 stands for anybody.
CREATE TABLE active_contracts (
  party BIGINT NOT NULL,
  template BIGINT NOT NULL,
  contract BIGINT NOT NULL,
  PRIMARY KEY (party, template, contract)
) /* clustered */;

-- The active contracts of a key.
CREATE TABLE contract_keys (
  key_hash SORTED_TEXT NOT NULL,
  contract BIGINT NOT NULL,
  PRIMARY KEY (key_hash, contract)
) /* clustered */;

-- A completion is `head`, the acting parties that its reader asked for, and `tail`.
CREATE TABLE completions (
  completion_offset BIGINT PRIMARY KEY,
  user_id SORTED_TEXT NOT NULL,
  act_as TEXT NOT NULL,
  head TEXT NOT NULL,
  tail TEXT NOT NULL
);
CREATE INDEX completions_of_user ON completions (user_id, completion_offset);

-- The last accepted submission of each change, by the hash of the change.
CREATE TABLE accepted_changes (
  change_id BYTEA PRIMARY KEY,
  completion_offset BIGINT NOT NULL,
  published_at BIGINT NOT NULL,
  submission_id TEXT NOT NULL
) /* clustered */;
