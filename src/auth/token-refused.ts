// Why a token is not believed: words for the log and, on a development node, for the caller.

export class TokenRefused extends Error {}

/** Only keys that would have to be fetched could tell. */
export class KeysNotKnown extends TokenRefused {}
