-- A checksum of what a row says, compared whenever the row is read (store/checksum.ts). Rows from before have none.

ALTER TABLE updates ADD COLUMN checksum BIGINT;
ALTER TABLE completions ADD COLUMN checksum BIGINT;
ALTER TABLE accepted_changes ADD COLUMN checksum BIGINT;
ALTER TABLE names ADD COLUMN checksum BIGINT;
ALTER TABLE ledger ADD COLUMN checksum BIGINT;

-- Of what stays the same apart from event and blob, which are not always read; of each of those; of where the contract
-- is, once it has moved.
ALTER TABLE contracts ADD COLUMN checksum BIGINT;
ALTER TABLE contracts ADD COLUMN event_checksum BIGINT;
ALTER TABLE contracts ADD COLUMN blob_checksum BIGINT;
ALTER TABLE contracts ADD COLUMN place_checksum BIGINT;
ALTER TABLE archives ADD COLUMN checksum BIGINT;

-- A changed bit grants no rights, names no other issuer and makes no key sign for a party.
ALTER TABLE identity_providers ADD COLUMN checksum BIGINT;
ALTER TABLE users ADD COLUMN checksum BIGINT;
ALTER TABLE user_rights ADD COLUMN checksum BIGINT;
ALTER TABLE parties ADD COLUMN checksum BIGINT;
ALTER TABLE external_parties ADD COLUMN checksum BIGINT;
ALTER TABLE vetted_packages ADD COLUMN checksum BIGINT;
ALTER TABLE packages ADD COLUMN checksum BIGINT; -- Of all but the dalf, which the id is the hash of.
ALTER TABLE package_contents ADD COLUMN checksum BIGINT;
