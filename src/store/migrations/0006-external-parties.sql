-- Parties that hold their keys themselves: who signs for them on a synchronizer. `keys` is JSON: the kind of each key and
-- its bytes in base64. What else is known of the party is in `parties`.

CREATE TABLE external_parties (
  party SORTED_TEXT NOT NULL,
  synchronizer BIGINT NOT NULL,
  threshold BIGINT NOT NULL,
  keys TEXT NOT NULL,
  PRIMARY KEY (party, synchronizer)
) /* clustered */;
