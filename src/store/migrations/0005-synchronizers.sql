-- Several synchronizers: whether the node is connected to each, which parties they host, and contracts that move
-- between them.

ALTER TABLE synchronizers ADD COLUMN is_connected BIGINT NOT NULL DEFAULT 1;

-- Existing parties are hosted on every synchronizer.
CREATE TABLE party_synchronizers (
  party SORTED_TEXT NOT NULL,
  synchronizer BIGINT NOT NULL,
  PRIMARY KEY (party, synchronizer)
) /* clustered */;
INSERT INTO party_synchronizers (party, synchronizer) SELECT party, number FROM parties, synchronizers;

-- The location of a moved contract: a synchronizer, or 0 for in transit; and how often it was unassigned. The column
-- `synchronizer` remains that of its creation.
ALTER TABLE contracts ADD COLUMN moved_to BIGINT;
ALTER TABLE contracts ADD COLUMN counter BIGINT NOT NULL DEFAULT 0;

-- Since when a key has the contract: one that arrives from another synchronizer is new to earlier key queries.
ALTER TABLE contract_keys ADD COLUMN since BIGINT NOT NULL DEFAULT 0;

-- One row per unassignment, complete once its contracts are assigned. Times are microseconds since 1970.
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
  assigned_workflow_id TEXT
);
CREATE INDEX reassignments_in_transit ON reassignments (exclusive_until, unassigned_offset)
  WHERE assigned_offset IS NULL;

-- The moves of each contract: its counter after the move, and its node in the reassignment.
CREATE TABLE contract_moves (
  contract BIGINT NOT NULL,
  counter BIGINT NOT NULL,
  unassigned_offset BIGINT NOT NULL,
  node_id BIGINT NOT NULL,
  PRIMARY KEY (contract, counter)
) /* clustered */;
CREATE INDEX contract_moves_of ON contract_moves (unassigned_offset);
