-- The contracts of a key in the order in which the key got them.
CREATE INDEX contract_keys_by_age ON contract_keys (key_hash, since, contract);
