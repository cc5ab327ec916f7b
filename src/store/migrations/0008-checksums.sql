-- A checksum of the row, compared whenever the row is read (store/checksum.ts). Older rows have none.

ALTER TABLE updates ADD COLUMN checksum BIGINT;
ALTER TABLE completions ADD COLUMN checksum BIGINT;
ALTER TABLE accepted_changes ADD COLUMN checksum BIGINT;
ALTER TABLE names ADD COLUMN checksum BIGINT;
ALTER TABLE ledger ADD COLUMN checksum BIGINT;

-- One for the constant part, one each for event and blob, which are not always read, and one for the location of a
-- contract that has moved.
ALTER TABLE contracts ADD COLUMN checksum BIGINT;
ALTER TABLE contracts ADD COLUMN event_checksum BIGINT;
ALTER TABLE contracts ADD COLUMN blob_checksum BIGINT;
ALTER TABLE contracts ADD COLUMN place_checksum BIGINT;
ALTER TABLE archives ADD COLUMN checksum BIGINT;

-- A flipped bit must not grant rights, name another issuer or let a wrong key sign for a party.
ALTER TABLE identity_providers ADD COLUMN checksum BIGINT;
ALTER TABLE users ADD COLUMN checksum BIGINT;
ALTER TABLE user_rights ADD COLUMN checksum BIGINT;
ALTER TABLE parties ADD COLUMN checksum BIGINT;
ALTER TABLE external_parties ADD COLUMN checksum BIGINT;
ALTER TABLE vetted_packages ADD COLUMN checksum BIGINT;
ALTER TABLE packages ADD COLUMN checksum BIGINT; -- Covers all but the dalf, whose hash is the id.
ALTER TABLE package_contents ADD COLUMN checksum BIGINT;
