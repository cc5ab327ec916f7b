-- A body may be packed (base/packed-text.ts); then this is its length when it is unpacked.
ALTER TABLE updates ADD COLUMN body_bytes BIGINT;

-- A created event is in the body of the update that created the contract, and a copy in `event` would double what it
-- takes. Its bytes begin there, unpacked, after `event_start`. Contracts of older versions, of large updates and of pruned
-- ones have a copy and no start.
ALTER TABLE contracts ADD COLUMN event_start BIGINT;
ALTER TABLE contracts ADD COLUMN event_bytes BIGINT;
