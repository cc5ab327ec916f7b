// Who asks, as far as the ledger's own rules depend on it. Whether the caller may ask at all is decided before, in auth.

export type Caller = {
  /** The stored user the token stands for; undefined when nobody in particular asks (tokens switched off). */
  readonly userId: string | undefined
  /** Whether rights beyond one identity provider were shown. */
  readonly isParticipantAdmin: boolean
  readonly isIdentityProviderAdmin: boolean
}
