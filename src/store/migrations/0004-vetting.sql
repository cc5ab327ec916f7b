-- Which packages may be used: the vetting of each synchronizer, with the serial of its last change. Times are
-- microseconds since 1970; a missing one is no bound. What was vetted before there were synchronizers is vetted on the
-- first.

CREATE TABLE vetting (
  synchronizer BIGINT PRIMARY KEY,
  serial BIGINT NOT NULL
);

CREATE TABLE vetted_packages (
  synchronizer BIGINT NOT NULL,
  package_id SORTED_TEXT NOT NULL,
  valid_from BIGINT,
  valid_until BIGINT,
  PRIMARY KEY (synchronizer, package_id)
);

INSERT INTO vetting (synchronizer, serial) SELECT DISTINCT 1, 1 FROM packages WHERE is_vetted = 1;
INSERT INTO vetted_packages (synchronizer, package_id) SELECT 1, id FROM packages WHERE is_vetted = 1;
ALTER TABLE packages DROP COLUMN is_vetted;

-- What a package defines (ledger/packages/package-contents.ts), as JSON; apart from its dalf, so that reading it is quick.
-- Packages from before have no row until somebody needs it.
CREATE TABLE package_contents (
  package_id SORTED_TEXT PRIMARY KEY REFERENCES packages (id),
  contents TEXT NOT NULL
);
