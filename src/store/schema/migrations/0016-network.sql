-- Networks: several participants over one database, each with its own set of all tables (store/core/participant-tables.ts).

-- The participants that host a party on a synchronizer, and what each may do for it. A party without rows here is hosted
-- by this participant alone.
CREATE TABLE party_hosts (
  party SORTED_TEXT NOT NULL,
  synchronizer BIGINT NOT NULL,
  participant SORTED_TEXT NOT NULL,
  permission SORTED_TEXT NOT NULL,
  checksum BIGINT,
  PRIMARY KEY (party, synchronizer, participant)
) /* clustered */;
