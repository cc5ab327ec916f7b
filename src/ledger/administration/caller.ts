// The caller, as far as the ledger's own rules depend on it. Whether the call is allowed at all is decided in auth.

export type Caller = {
  /** The stored user that the token names; undefined when tokens are switched off. */
  readonly userId: string | undefined
  /** Whether the token grants rights beyond one identity provider. */
  readonly isParticipantAdmin: boolean
  readonly isIdentityProviderAdmin: boolean
}
