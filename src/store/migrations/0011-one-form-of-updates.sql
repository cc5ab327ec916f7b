-- Updates in the form of older versions, which are rewritten when the ledger is opened (store/old-updates.ts).
CREATE TABLE old_updates (
  update_offset BIGINT PRIMARY KEY
);
INSERT INTO old_updates SELECT update_offset FROM updates WHERE meta LIKE '{%';
