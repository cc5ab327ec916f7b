-- Networks: several participants over one database, each with its own set of all tables (store/core/participant-tables.ts).

-- In `contracts`, the synchronizer 0 is that of a contract that this participant has only seen: no stakeholder of it is here,
-- so it counts as archived at once.

-- The participants that host a party on a synchronizer, what each may do for it, and how many must confirm. A party without
-- rows here is hosted by this participant alone.
CREATE TABLE party_hosts (
  party SORTED_TEXT NOT NULL,
  synchronizer BIGINT NOT NULL,
  participant SORTED_TEXT NOT NULL,
  permission SORTED_TEXT NOT NULL,
  threshold BIGINT NOT NULL,
  checksum BIGINT,
  PRIMARY KEY (party, synchronizer, participant)
) /* clustered */;

-- What this participant has not been given yet: updates of synchronizers that it is not connected to, or has not caught up
-- with, in the order in which each synchronizer had them. One without content is not decided yet; nothing passes it.
CREATE TABLE waiting_updates (
  number BIGINT PRIMARY KEY,
  synchronizer BIGINT NOT NULL,
  record_time BIGINT NOT NULL,
  content BYTEA NOT NULL,
  checksum BIGINT
);
CREATE INDEX waiting_updates_of ON waiting_updates (synchronizer, number);

-- The contracts that they archive or move: gone or, while one is not decided, locked.
CREATE TABLE waiting_contracts (
  contract_id SORTED_TEXT NOT NULL,
  number BIGINT NOT NULL,
  checksum BIGINT,
  PRIMARY KEY (contract_id, number)
) /* clustered */;
CREATE INDEX waiting_contracts_of ON waiting_contracts (number);
