// The rights a user can hold. Names are those of Canton's user management service.

export const partyRights = ['CanActAs', 'CanReadAs', 'CanExecuteAs'] as const
export const plainRights = [
  'ParticipantAdmin',
  'IdentityProviderAdmin',
  'CanReadAsAnyParty',
  'CanExecuteAsAnyParty',
] as const

export type PartyRight = { readonly kind: (typeof partyRights)[number]; readonly party: string }
export type PlainRight = { readonly kind: (typeof plainRights)[number] }
export type Right = PartyRight | PlainRight

/** Rights that reach beyond one identity provider, so only a participant administrator may grant them. */
const participantWide: ReadonlySet<Right['kind']> = new Set([
  'ParticipantAdmin',
  'CanReadAsAnyParty',
  'CanExecuteAsAnyParty',
])

export function isParticipantWide(right: Right): boolean {
  return participantWide.has(right.kind)
}

export function partyOf(right: Right): string | undefined {
  return 'party' in right ? right.party : undefined
}

export function rightKey(right: Right): string {
  return `${right.kind}/${partyOf(right) ?? ''}`
}
