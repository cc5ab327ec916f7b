// Limits on what an archive may cost the node that reads it. Every limit is far above what real packages need (measured
// on 207 published DARs) and far below what would hurt.

const mebibyte = 1024 * 1024

export const zipLimits = {
  /** The largest published DAR has 119 entries. */
  entriesMax: 10_000,
  /** The largest published package has 1.7 MB. */
  entryBytesMax: 32 * mebibyte,
  manifestBytesMax: mebibyte,
  /** All packages of one DAR together; the largest published DAR holds 6.7 MB. */
  totalBytesMax: 256 * mebibyte,
  /** Bytes inflated for each byte stored: deflate reaches 1032, published packages 5.5. */
  ratioMax: 100,
} as const

export const archiveLimits = {
  /** Nested protobuf messages where expressions are inline (LF 2.1): Canton's own limit. Published packages: 120. */
  messageDepthMaxInline: 1000,
  /** Nested protobuf messages where expressions are flat (from LF 2.2 on): Canton's limit. Published packages: 8. */
  messageDepthMaxFlat: 100,
  /** Nested messages of an expression once its interned references are followed: two to three for each expression. */
  flatDepthMax: 10_000,
  /** Expressions in one package, each counted as often as it is referred to, so that shared nodes cannot multiply. */
  expressionsMax: 10_000_000,
  /** Entries in each table of a package, and modules. The largest published package has 16,000 types. */
  tableEntriesMax: 1_000_000,
  /** Expressions that definitions hold: those of values, choices and so on. Published packages: 8,400. */
  bodiesMax: 500_000,
  /** Fields of a record or constructors of a variant: each is an argument of a function. */
  fieldsMax: 10_000,
  /** Parts of all types of a package together, as they are written, and once more for each copy. */
  typePartsMax: 2_000_000,
  /** Nested types once interned references are followed. Canton takes 900. Published types: 25. */
  typeDepthMax: 1000,
  /** Nodes of one type written out in full, so that shared parts cannot multiply. Published types: 561. */
  typeNodesMax: 100_000,
} as const
