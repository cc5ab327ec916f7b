// The versions of Canton's protocol that a synchronizer may have. Version 34 lets Daml undo creates and archives, and has
// no contract keys; version 35 has keys, and ends commands that would undo effects.

export type ProtocolVersion = 34 | 35

export const oldestProtocolVersion: ProtocolVersion = 34
export const newestProtocolVersion: ProtocolVersion = 35
