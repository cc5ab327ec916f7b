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

-- Older archives, which are indexed when the ledger is opened.
CREATE TABLE unplaced_archives (
  contract BIGINT PRIMARY KEY
);
INSERT INTO unplaced_archives SELECT contract FROM archives;

-- Finds the last move of a contract up to an offset, however often it moved.
CREATE INDEX contract_moves_by_offset ON contract_moves (contract, unassigned_offset);
