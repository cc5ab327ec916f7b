-- Checksums as in 0008, for the tables that had none. Rows from before have none, and parts that change have their own.

-- Of what stays the same; of the record time, which every commit changes; of whether the node is connected.
ALTER TABLE synchronizers ADD COLUMN checksum BIGINT;
ALTER TABLE synchronizers ADD COLUMN record_time_checksum BIGINT;
ALTER TABLE synchronizers ADD COLUMN connected_checksum BIGINT;

-- Of the unassignment; of the assignment, once there is one.
ALTER TABLE reassignments ADD COLUMN checksum BIGINT;
ALTER TABLE reassignments ADD COLUMN assigned_checksum BIGINT;
ALTER TABLE contract_moves ADD COLUMN checksum BIGINT;

ALTER TABLE party_synchronizers ADD COLUMN checksum BIGINT;
ALTER TABLE dars ADD COLUMN checksum BIGINT;
ALTER TABLE vetting ADD COLUMN checksum BIGINT;
ALTER TABLE node ADD COLUMN checksum BIGINT;
