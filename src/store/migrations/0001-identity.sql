-- The node's identity, identity providers, users with their rights, and parties.
-- "" is the default identity provider. Flags are 0 or 1. Annotations are a JSON object.

CREATE TABLE node (
  name SORTED_TEXT PRIMARY KEY,
  value BYTEA NOT NULL
);

CREATE TABLE identity_providers (
  id SORTED_TEXT PRIMARY KEY,
  issuer SORTED_TEXT NOT NULL UNIQUE,
  jwks_url TEXT NOT NULL,
  audience TEXT NOT NULL,
  is_deactivated BIGINT NOT NULL
);

CREATE TABLE users (
  id SORTED_TEXT PRIMARY KEY,
  identity_provider_id SORTED_TEXT NOT NULL,
  primary_party TEXT NOT NULL,
  is_deactivated BIGINT NOT NULL,
  primary_party_authentication BIGINT NOT NULL,
  resource_version BIGINT NOT NULL,
  annotations TEXT NOT NULL
);
CREATE INDEX users_of_identity_provider ON users (identity_provider_id, id);

CREATE TABLE user_rights (
  user_id SORTED_TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  kind SORTED_TEXT NOT NULL,
  party SORTED_TEXT NOT NULL,
  PRIMARY KEY (user_id, kind, party)
);

CREATE TABLE parties (
  party SORTED_TEXT PRIMARY KEY,
  is_local BIGINT NOT NULL,
  identity_provider_id SORTED_TEXT NOT NULL,
  resource_version BIGINT NOT NULL,
  annotations TEXT NOT NULL
);
CREATE INDEX parties_of_identity_provider ON parties (identity_provider_id, party);
