-- The uploaded packages, each as its dalf, and the DAR files that they came in.
-- A package is upgradable when its name stands for a line of versions; vetted when it may be used.

CREATE TABLE packages (
  id SORTED_TEXT PRIMARY KEY,
  name SORTED_TEXT NOT NULL,
  version SORTED_TEXT NOT NULL,
  language_version TEXT NOT NULL,
  is_upgradable BIGINT NOT NULL,
  is_vetted BIGINT NOT NULL,
  size BIGINT NOT NULL,
  uploaded_at_ms BIGINT NOT NULL,
  dalf BYTEA NOT NULL
);
CREATE INDEX packages_by_name ON packages (name, version);

-- Keyed by the SHA-256 of the whole file, so that a repeated upload need not be read.
CREATE TABLE dars (
  hash SORTED_TEXT PRIMARY KEY,
  main_package_id SORTED_TEXT NOT NULL REFERENCES packages (id),
  is_vetted BIGINT NOT NULL
);
