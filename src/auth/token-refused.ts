// Why a token is not believed: words for the log and, on a development node, for the caller.

export class TokenRefused extends Error {}
