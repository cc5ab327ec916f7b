-- The schema of the first release. Flags are 0 or 1; times are microseconds since 1970 unless a name says otherwise.
-- Checksums cover the constant part of their row, and are compared whenever it is read (store/core/checksum.ts); parts that
-- change, or are not always read, have their own.

-- ── Identity: the node, identity providers, users with their rights, parties. "" is the default identity provider.
--    Annotations are a JSON object. A flipped bit must not grant rights, name another issuer or let a wrong key sign.

CREATE TABLE node (
  name SORTED_TEXT PRIMARY KEY,
  value BYTEA NOT NULL,
  checksum BIGINT
);

CREATE TABLE identity_providers (
  id SORTED_TEXT PRIMARY KEY,
  issuer SORTED_TEXT NOT NULL UNIQUE,
  jwks_url TEXT NOT NULL,
  audience TEXT NOT NULL,
  is_deactivated BIGINT NOT NULL,
  checksum BIGINT
);

CREATE TABLE users (
  id SORTED_TEXT PRIMARY KEY,
  identity_provider_id SORTED_TEXT NOT NULL,
  primary_party TEXT NOT NULL,
  is_deactivated BIGINT NOT NULL,
  primary_party_authentication BIGINT NOT NULL,
  resource_version BIGINT NOT NULL,
  annotations TEXT NOT NULL,
  checksum BIGINT
);
CREATE INDEX users_of_identity_provider ON users (identity_provider_id, id);

CREATE TABLE user_rights (
  user_id SORTED_TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind SORTED_TEXT NOT NULL,
  party SORTED_TEXT NOT NULL,
  checksum BIGINT,
  PRIMARY KEY (user_id, kind, party)
);

CREATE TABLE parties (
  party SORTED_TEXT PRIMARY KEY,
  is_local BIGINT NOT NULL,
  identity_provider_id SORTED_TEXT NOT NULL,
  resource_version BIGINT NOT NULL,
  annotations TEXT NOT NULL,
  checksum BIGINT
);
CREATE INDEX parties_of_identity_provider ON parties (identity_provider_id, party);

-- The synchronizers that host each party.
CREATE TABLE party_synchronizers (
  party SORTED_TEXT NOT NULL,
  synchronizer BIGINT NOT NULL,
  checksum BIGINT,
  PRIMARY KEY (party, synchronizer)
) /* clustered */;

-- The signing keys of external parties, per synchronizer. `keys` is JSON: the kind of each key and its bytes in base64.
CREATE TABLE external_parties (
  party SORTED_TEXT NOT NULL,
  synchronizer BIGINT NOT NULL,
  threshold BIGINT NOT NULL,
  keys TEXT NOT NULL,
  checksum BIGINT,
  PRIMARY KEY (party, synchronizer)
) /* clustered */;

-- What requests to host external parties left for later ones. A certificate says whose key signs for a namespace: `target`
-- is the key's fingerprint, or empty where several owners control it. `content` is the signed transaction, in base64.
CREATE TABLE namespace_certificates (
  namespace_id SORTED_TEXT NOT NULL,
  synchronizer BIGINT NOT NULL,
  target SORTED_TEXT NOT NULL,
  content TEXT NOT NULL,
  checksum BIGINT,
  PRIMARY KEY (namespace_id, synchronizer, target)
) /* clustered */;

-- Transactions that still lack signatures, by the hash over them. `signers` is JSON: who has signed each of them so far.
-- `requests` counts those that brought them; `proposed_by` is the user that sent the first, or empty.
CREATE TABLE party_proposals (
  party SORTED_TEXT NOT NULL,
  synchronizer BIGINT NOT NULL,
  hash SORTED_TEXT NOT NULL,
  proposed_by SORTED_TEXT NOT NULL,
  requests BIGINT NOT NULL,
  signers TEXT NOT NULL,
  checksum BIGINT,
  PRIMARY KEY (party, synchronizer, hash)
) /* clustered */;
CREATE INDEX party_proposals_of_user ON party_proposals (proposed_by, party);

-- ── Packages, each as its dalf, and the DAR files that they came in.

-- A package is upgradable when its name stands for a line of versions. The checksum does not cover the dalf, whose hash
-- is the id.
CREATE TABLE packages (
  id SORTED_TEXT PRIMARY KEY,
  name SORTED_TEXT NOT NULL,
  version SORTED_TEXT NOT NULL,
  language_version TEXT NOT NULL,
  is_upgradable BIGINT NOT NULL,
  size BIGINT NOT NULL,
  uploaded_at_ms BIGINT NOT NULL,
  dalf BYTEA NOT NULL,
  checksum BIGINT
);
CREATE INDEX packages_by_name ON packages (name, version);

-- What a package defines (ledger/packages/package-contents.ts), as JSON. Separate from the dalf, so that it is fast to
-- read.
CREATE TABLE package_contents (
  package_id SORTED_TEXT PRIMARY KEY REFERENCES packages (id),
  contents TEXT NOT NULL,
  checksum BIGINT
);

-- Keyed by the SHA-256 of the whole file, so that a repeated upload need not be read.
CREATE TABLE dars (
  hash SORTED_TEXT PRIMARY KEY,
  main_package_id SORTED_TEXT NOT NULL REFERENCES packages (id),
  is_vetted BIGINT NOT NULL,
  checksum BIGINT
);

-- The packages that may be used on each synchronizer, and the serial of the last change. An absent time is no bound.
CREATE TABLE vetting (
  synchronizer BIGINT PRIMARY KEY,
  serial BIGINT NOT NULL,
  checksum BIGINT
);

CREATE TABLE vetted_packages (
  synchronizer BIGINT NOT NULL,
  package_id SORTED_TEXT NOT NULL,
  valid_from BIGINT,
  valid_until BIGINT,
  checksum BIGINT,
  PRIMARY KEY (synchronizer, package_id)
);

-- ── The ledger. Updates are the log, appended in the order of their offsets; everything else is derived from it in the
--    same transaction. Parties, templates and synchronizers have numbers here, because they repeat in every row.

-- One row: the state of the ledger.
CREATE TABLE ledger (
  ledger_end BIGINT NOT NULL,
  last_contract BIGINT NOT NULL,
  last_name BIGINT NOT NULL,
  published_at BIGINT NOT NULL,
  pruned_up_to BIGINT NOT NULL,
  forgotten_up_to BIGINT NOT NULL,
  forgotten_at BIGINT NOT NULL,
  checksum BIGINT
);
INSERT INTO ledger VALUES (0, 0, 0, 0, 0, 0, 0, NULL);

CREATE TABLE names (
  number BIGINT PRIMARY KEY,
  name SORTED_TEXT NOT NULL UNIQUE,
  checksum BIGINT
);

-- Every commit changes the record time.
CREATE TABLE synchronizers (
  number BIGINT PRIMARY KEY,
  id SORTED_TEXT NOT NULL UNIQUE,
  alias SORTED_TEXT NOT NULL UNIQUE,
  record_time BIGINT NOT NULL,
  is_connected BIGINT NOT NULL DEFAULT 1,
  checksum BIGINT,
  record_time_checksum BIGINT,
  connected_checksum BIGINT
);

-- `id_key` holds the first eight bytes of the hash in the update id: enough to find it, cheap to index.
-- `templates` lists the numbers of the templates of its events between commas: ",3,17,".
-- `meta` describes the pieces of JSON in `body` (events/format/transaction-writing.ts).
-- A body may be packed (events/format/packed-text.ts); then `body_bytes` is its length when it is unpacked.
CREATE TABLE updates (
  update_offset BIGINT PRIMARY KEY,
  id_key BIGINT NOT NULL,
  templates TEXT NOT NULL,
  meta TEXT NOT NULL,
  body BYTEA NOT NULL,
  checksum BIGINT,
  body_bytes BIGINT
);
CREATE INDEX updates_by_id ON updates (id_key);

-- The updates that each party sees.
CREATE TABLE update_parties (
  party BIGINT NOT NULL,
  update_offset BIGINT NOT NULL,
  templates TEXT NOT NULL,
  PRIMARY KEY (party, update_offset)
) /* clustered */;

-- Every created contract, in order. `stakeholders` lists their numbers between commas.
-- A created event is in the body of the update that created the contract, and a copy in `event` would double what it
-- takes. Its bytes begin there, unpacked, after `event_start`. Contracts of large updates and of pruned ones have a copy
-- and no start. The event is JSON in two pieces, the first `event_cut` bytes long.
-- `synchronizer` is that of its creation. A moved contract is at the synchronizer `moved_to`, or in transit if that is 0;
-- `counter` says how often it was unassigned.
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
  blob BYTEA NOT NULL,
  moved_to BIGINT,
  counter BIGINT NOT NULL DEFAULT 0,
  checksum BIGINT,
  event_checksum BIGINT,
  blob_checksum BIGINT,
  place_checksum BIGINT,
  event_start BIGINT,
  event_bytes BIGINT
);
CREATE INDEX contracts_by_id ON contracts (id_key);

CREATE TABLE archives (
  contract BIGINT PRIMARY KEY,
  archived_offset BIGINT NOT NULL,
  checksum BIGINT
);
CREATE INDEX archives_by_offset ON archives (archived_offset);

-- The active contracts of each stakeholder; party 0 stands for anybody.
CREATE TABLE active_contracts (
  party BIGINT NOT NULL,
  template BIGINT NOT NULL,
  contract BIGINT NOT NULL,
  PRIMARY KEY (party, template, contract)
) /* clustered */;

-- Archived contracts by the offsets at which they were active (store/past-contracts.ts). Each has two rows for each
-- stakeholder and for party 0, anybody: under an even node by the offset of its archive, under an odd one by its
-- number.
CREATE TABLE past_contracts (
  party BIGINT NOT NULL,
  template BIGINT NOT NULL,
  node BIGINT NOT NULL,
  bound BIGINT NOT NULL,
  contract BIGINT NOT NULL,
  PRIMARY KEY (party, template, node, bound, contract)
) /* clustered */;

-- The active contracts of a key, and since when it has each: one that arrives from another synchronizer is new to
-- earlier key queries.
CREATE TABLE contract_keys (
  key_hash SORTED_TEXT NOT NULL,
  contract BIGINT NOT NULL,
  since BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (key_hash, contract)
) /* clustered */;
CREATE INDEX contract_keys_by_age ON contract_keys (key_hash, since, contract);

-- One row per unassignment, complete once its contracts are assigned.
CREATE TABLE reassignments (
  unassigned_offset BIGINT PRIMARY KEY,
  id SORTED_TEXT NOT NULL UNIQUE,
  source BIGINT NOT NULL,
  target BIGINT NOT NULL,
  submitter TEXT NOT NULL,
  exclusive_until BIGINT NOT NULL,
  user_id TEXT NOT NULL,
  command_id TEXT NOT NULL,
  workflow_id TEXT NOT NULL,
  assigned_offset BIGINT,
  assigned_workflow_id TEXT,
  checksum BIGINT,
  assigned_checksum BIGINT
);
CREATE INDEX reassignments_in_transit ON reassignments (exclusive_until, unassigned_offset)
  WHERE assigned_offset IS NULL;

-- The moves of each contract: its counter after the move, and its node in the reassignment. The second index finds the
-- last move up to an offset, however often the contract moved.
CREATE TABLE contract_moves (
  contract BIGINT NOT NULL,
  counter BIGINT NOT NULL,
  unassigned_offset BIGINT NOT NULL,
  node_id BIGINT NOT NULL,
  checksum BIGINT,
  PRIMARY KEY (contract, counter)
) /* clustered */;
CREATE INDEX contract_moves_of ON contract_moves (unassigned_offset);
CREATE INDEX contract_moves_by_offset ON contract_moves (contract, unassigned_offset);

-- A completion is `head`, the acting parties that its reader asked for, and `tail`.
CREATE TABLE completions (
  completion_offset BIGINT PRIMARY KEY,
  user_id SORTED_TEXT NOT NULL,
  act_as TEXT NOT NULL,
  head TEXT NOT NULL,
  tail TEXT NOT NULL,
  checksum BIGINT
);
CREATE INDEX completions_of_user ON completions (user_id, completion_offset);

-- The last accepted submission of each change, by the hash of the change.
CREATE TABLE accepted_changes (
  change_id BYTEA PRIMARY KEY,
  completion_offset BIGINT NOT NULL,
  published_at BIGINT NOT NULL,
  submission_id TEXT NOT NULL,
  checksum BIGINT
) /* clustered */;
