-- The signing keys of external parties, per synchronizer. `keys` is JSON: the kind of each key and its bytes in base64.
-- Other facts about the party are in `parties`.

CREATE TABLE external_parties (
  party SORTED_TEXT NOT NULL,
  synchronizer BIGINT NOT NULL,
  threshold BIGINT NOT NULL,
  keys TEXT NOT NULL,
  PRIMARY KEY (party, synchronizer)
) /* clustered */;
