-- The vetting of each synchronizer: the packages that may be used there, and the serial of the last change. Times are
-- microseconds since 1970; an absent one is no bound. Earlier vetting moves to the first synchronizer.

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

-- What a package defines (ledger/packages/package-contents.ts), as JSON. Separate from the dalf, so that it is fast to
-- read. Older packages get their row when it is first needed.
CREATE TABLE package_contents (
  package_id SORTED_TEXT PRIMARY KEY REFERENCES packages (id),
  contents TEXT NOT NULL
);
