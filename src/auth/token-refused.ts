// Why a token is refused: a text for the log and, on a development node, for the caller.

export class TokenRefused extends Error {}

/** The keys to decide are not cached and would have to be fetched. */
export class KeysNotKnown extends TokenRefused {}
