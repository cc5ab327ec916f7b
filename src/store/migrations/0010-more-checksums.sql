-- Checksums as in 0008 for the remaining tables. Older rows have none, and parts that change have their own.

-- For the constant part, the record time, which every commit changes, and whether the node is connected.
ALTER TABLE synchronizers ADD COLUMN checksum BIGINT;
ALTER TABLE synchronizers ADD COLUMN record_time_checksum BIGINT;
ALTER TABLE synchronizers ADD COLUMN connected_checksum BIGINT;

-- For the unassignment, and for the assignment once there is one.
ALTER TABLE reassignments ADD COLUMN checksum BIGINT;
ALTER TABLE reassignments ADD COLUMN assigned_checksum BIGINT;
ALTER TABLE contract_moves ADD COLUMN checksum BIGINT;

ALTER TABLE party_synchronizers ADD COLUMN checksum BIGINT;
ALTER TABLE dars ADD COLUMN checksum BIGINT;
ALTER TABLE vetting ADD COLUMN checksum BIGINT;
ALTER TABLE node ADD COLUMN checksum BIGINT;
