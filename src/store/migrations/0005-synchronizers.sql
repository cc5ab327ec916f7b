-- Several synchronizers: whether the node is connected to each, which parties are hosted where, and contracts that move
-- between them.

ALTER TABLE synchronizers ADD COLUMN is_connected BIGINT NOT NULL DEFAULT 1;

-- Parties from before are hosted on every synchronizer that there is.
CREATE TABLE party_synchronizers (
  party SORTED_TEXT NOT NULL,
  synchronizer BIGINT NOT NULL,
  PRIMARY KEY (party, synchronizer)
) /* clustered */;
INSERT INTO party_synchronizers (party, synchronizer) SELECT party, number FROM parties, synchronizers;

-- Where a contract is that was moved: a synchronizer, or 0 for in transit; and how often it was unassigned. The column
-- `synchronizer` stays the one it was created on.
ALTER TABLE contracts ADD COLUMN moved_to BIGINT;
ALTER TABLE contracts ADD COLUMN counter BIGINT NOT NULL DEFAULT 0;

-- Since when a key has the contract: a contract that comes from another synchronizer is new to those who looked.
ALTER TABLE contract_keys ADD COLUMN since BIGINT NOT NULL DEFAULT 0;

-- One row for each unassignment, complete once its contracts are assigned. Times are microseconds since 1970.
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

-- The moves of each contract: the counter that a move gave it, and where it stands in its reassignment.
CREATE TABLE contract_moves (
  contract BIGINT NOT NULL,
  counter BIGINT NOT NULL,
  unassigned_offset BIGINT NOT NULL,
  node_id BIGINT NOT NULL,
  PRIMARY KEY (contract, counter)
) /* clustered */;
CREATE INDEX contract_moves_of ON contract_moves (unassigned_offset);
