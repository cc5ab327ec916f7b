-- A synchronizer inside the node signs nothing: its id holds the fingerprint of its key; the private key is not kept.

UPDATE synchronizers SET signing_key = '';
ALTER TABLE synchronizers DROP COLUMN signing_key;
