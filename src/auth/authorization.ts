// What each operation requires of its caller: the table, and the check that walks it. Mirrors Canton's RequiredClaims
// and the per-service authorizations; a test checks that every route has its row.
import { type ErrorSubject, LedgerError } from '../base/errors.ts'
import { ledgerStringProblem, shorten } from '../base/names.ts'
import { isParticipantWide, type Right } from '../base/rights.ts'
import type { Authentication } from './authentication.ts'
import { actsAs, type Claims, executesAs, operatesAs, readsAs } from './claims.ts'

/** The parts of a request that rights depend on. */
export type Subject = {
  /** Set by requests that concern one identity provider; "" means the caller's own. */
  readonly identityProviderId?: string
  /** The user a request reads, allocates or submits for; "" means the caller's own. */
  readonly userId?: string
  /** Rights to grant or revoke. */
  readonly rights?: readonly (Right | undefined)[]
  readonly parties?: readonly string[]
  /** Parties whose commands are submitted. */
  readonly actAs?: readonly string[]
  /** Parties whose signed transactions are submitted. */
  readonly executeAs?: readonly string[]
  /** Parties to read the ledger as. */
  readonly readAs?: readonly string[]
  /** Whether the request reads the ledger as any party. */
  readonly readsAsAnyParty?: boolean
}

/** The permission to run an operation. Fields that the request left out are filled in. */
export type Permission = {
  readonly userId: string
  readonly identityProviderId: string
  /** Whether the caller may read what this party sees. */
  readonly reads: (party: string) => boolean
  readonly caller: {
    readonly userId: string | undefined
    readonly isParticipantAdmin: boolean
    readonly isIdentityProviderAdmin: boolean
    /** Set if the token is one of the explorer. */
    readonly session: { readonly id: string; readonly expiresAtMs: number } | undefined
  }
}

export type Requirement = {
  /** Shown in the API's description. */
  readonly words: string
  /** Whether a caller with a user id may omit the user, even if that user is not stored here. */
  readonly fillsInUser?: boolean
  /** Why the claims do not suffice, or undefined when they do. */
  missing(claims: Claims, subject: Subject): Lack | undefined
}

/** What a caller lacks: in words, and the party that its rights do not name. */
type Lack = string | { readonly words: string; readonly party: string }

const isAdministrator = (claims: Claims) => claims.isParticipantAdmin || claims.isIdentityProviderAdmin

const anybodyKnown: Requirement = { words: 'any user', missing: () => undefined }

const participantAdmin: Requirement = {
  words: 'ParticipantAdmin',
  missing: (claims) => (claims.isParticipantAdmin ? undefined : 'the right ParticipantAdmin is missing'),
}

const administrator: Requirement = {
  words: 'ParticipantAdmin or IdentityProviderAdmin',
  missing: (claims) =>
    isAdministrator(claims) ? undefined : 'the right ParticipantAdmin or IdentityProviderAdmin is missing',
}

const administratorOfRights: Requirement = {
  words: 'ParticipantAdmin, or IdentityProviderAdmin for rights within its identity provider',
  missing: (claims, subject) =>
    subject.rights?.some((right) => right !== undefined && isParticipantWide(right))
      ? participantAdmin.missing(claims, subject)
      : administrator.missing(claims, subject),
}

const administratorOrSelf: Requirement = {
  words: 'ParticipantAdmin or IdentityProviderAdmin, or being that user',
  missing(claims, subject) {
    const isSelf = claims.isStoredUser && (subject.userId === '' || subject.userId === claims.userId)
    return isSelf ? undefined : administrator.missing(claims, subject)
  },
}

const administratorOrOwnAllocation: Requirement = {
  words: 'ParticipantAdmin or IdentityProviderAdmin, or allocating for oneself',
  missing(claims, subject) {
    const isSelf = claims.isStoredUser && subject.userId === claims.userId
    return isSelf ? undefined : administrator.missing(claims, subject)
  },
}

const administratorOrOperator: Requirement = {
  words: 'ParticipantAdmin or IdentityProviderAdmin, or a right for each of the parties',
  missing(claims, { parties = [] }) {
    if (isAdministrator(claims)) return undefined
    const other = parties.find((party) => !operatesAs(claims, party))
    if (other === undefined) return undefined
    return { words: `a right to act, read or execute as ${other} is missing`, party: other }
  },
}

const submitter: Requirement = {
  words: 'CanActAs for each party of actAs, CanReadAs for each other party of readAs, being the user that submits',
  fillsInUser: true,
  missing: (claims, subject) => otherUser(claims, subject) ?? missingForParties(claims, subject),
}

const preparer: Requirement = {
  words: 'CanReadAs for each party of actAs and readAs, being the user that prepares',
  fillsInUser: true,
  missing: (claims, subject) => otherUser(claims, subject) ?? missingForParties(claims, subject),
}

const executor: Requirement = {
  words: 'CanExecuteAs or CanActAs for each party that acts, being the user that submits',
  fillsInUser: true,
  missing(claims, subject) {
    const notExecuting = subject.executeAs?.find((party) => !executesAs(claims, party))
    const problem = notExecuting === undefined ? undefined : rightMissing('CanExecuteAs', notExecuting)
    return otherUser(claims, subject) ?? problem ?? missingForParties(claims, subject)
  },
}

const reader: Requirement = {
  words: 'CanReadAs for each party named, CanReadAsAnyParty where all parties are meant',
  missing: missingForParties,
}

const completionReader: Requirement = {
  words: 'CanReadAs for each party, and being the user whose completions are read, or CanReadAsAnyParty',
  fillsInUser: true,
  missing(claims, subject) {
    const problem = claims.readsAsAnyParty ? undefined : otherUser(claims, subject)
    return problem ?? missingForParties(claims, subject)
  },
}

function otherUser(claims: Claims, { userId }: Subject): string | undefined {
  const isOwn = userId === '' || claims.userId === undefined || claims.actsAsAnyParty || userId === claims.userId
  return isOwn ? undefined : `the request is for the user ${shorten(userId ?? '')}`
}

function rightMissing(right: string, party: string): Lack {
  return { words: `the right ${right} ${shorten(party)} is missing`, party }
}

function missingForParties(claims: Claims, { actAs = [], readAs = [], readsAsAnyParty }: Subject): Lack | undefined {
  const notActing = actAs.find((party) => !actsAs(claims, party))
  if (notActing !== undefined) return rightMissing('CanActAs', notActing)
  const notReading = readAs.find((party) => !readsAs(claims, party))
  if (notReading !== undefined) return rightMissing('CanReadAs', notReading)
  return readsAsAnyParty && !claims.readsAsAnyParty ? 'the right CanReadAsAnyParty is missing' : undefined
}

/** One row per operation; `undefined` for those that require no token. */
export const requirements: Readonly<Record<string, Requirement | undefined>> = {
  'GET /': undefined,
  'GET /explorer': undefined,
  'GET /explorer/session': undefined,
  'GET /explorer/{path*}': undefined,
  'POST /explorer/find/contracts': reader,
  'POST /explorer/find/updates': reader,
  'POST /explorer/find/places': reader,
  'GET /explorer/find/names': undefined,
  'GET /livez': undefined,
  'GET /readyz': undefined,
  'GET /metrics': undefined,
  'GET /docs': undefined,
  'GET /docs/openapi': undefined,
  'GET /docs/types': undefined,
  'GET /docs/asyncapi': undefined,
  'GET /v2/version': undefined,
  'GET /v2/authenticated-user': administratorOrSelf,
  'POST /v2/users': administratorOfRights,
  'GET /v2/users': administrator,
  'GET /v2/users/{user-id}': administratorOrSelf,
  'PATCH /v2/users/{user-id}': administrator,
  'DELETE /v2/users/{user-id}': administrator,
  'GET /v2/users/{user-id}/rights': administratorOrSelf,
  'POST /v2/users/{user-id}/rights': administratorOfRights,
  'PATCH /v2/users/{user-id}/rights': administratorOfRights,
  'PATCH /v2/users/{user-id}/identity-provider-id': participantAdmin,
  'POST /v2/parties': administratorOrOwnAllocation,
  'GET /v2/parties': administrator,
  'POST /v2/parties/external/allocate': administratorOrOwnAllocation,
  'POST /v2/parties/external/generate-topology': anybodyKnown,
  'GET /v2/parties/participant-id': anybodyKnown,
  'GET /v2/parties/{party}': administratorOrOperator,
  'PATCH /v2/parties/{party}': administrator,
  'POST /v2/dars': participantAdmin,
  'POST /v2/dars/validate': participantAdmin,
  'GET /v2/packages': anybodyKnown,
  'POST /v2/packages': participantAdmin,
  'GET /v2/packages/{package-id}': anybodyKnown,
  'GET /v2/packages/{package-id}/status': anybodyKnown,
  'GET /v2/package-vetting': anybodyKnown,
  'POST /v2/package-vetting': participantAdmin,
  'POST /v2/package-vetting/list': anybodyKnown,
  'POST /v2/package-vetting/update': participantAdmin,
  'GET /v2/state/connected-synchronizers': administratorOrOperator,
  'POST /v2/commands/async/submit': submitter,
  'POST /v2/commands/submit-and-wait': submitter,
  'POST /v2/commands/submit-and-wait-for-transaction': submitter,
  'POST /v2/commands/submit-and-wait-for-transaction-tree': submitter,
  'POST /v2/commands/async/submit-reassignment': submitter,
  'POST /v2/commands/submit-and-wait-for-reassignment': submitter,
  'POST /v2/interactive-submission/prepare': preparer,
  'POST /v2/interactive-submission/execute': executor,
  'POST /v2/interactive-submission/executeAndWait': executor,
  'POST /v2/interactive-submission/executeAndWaitForTransaction': executor,
  'GET /v2/interactive-submission/preferred-package-version': anybodyKnown,
  'POST /v2/interactive-submission/preferred-packages': anybodyKnown,
  'POST /v2/commands/completions': completionReader,
  'POST /v2/commands/command-completions': reader,
  'POST /v2/updates': reader,
  'POST /v2/updates/flats': reader,
  'POST /v2/updates/trees': reader,
  'POST /v2/updates/get-updates-page': reader,
  'POST /v2/updates/update-by-offset': reader,
  'POST /v2/updates/update-by-id': reader,
  'POST /v2/updates/transaction-by-offset': reader,
  'POST /v2/updates/transaction-by-id': reader,
  'GET /v2/updates/transaction-tree-by-offset/{offset}': reader,
  'GET /v2/updates/transaction-tree-by-id/{update-id}': reader,
  'GET /v2/state/ledger-end': anybodyKnown,
  'GET /v2/state/latest-pruned-offsets': anybodyKnown,
  'POST /v2/state/active-contracts': reader,
  'GET /v2/state/active-contracts-page': reader,
  'POST /v2/state/active-contracts-page': reader,
  'POST /v2/events/events-by-contract-id': reader,
  'POST /v2/contracts/contract-by-id': reader,
  'GET /v2/synchronizers': participantAdmin,
  'POST /v2/synchronizers/{alias}/connect': participantAdmin,
  'POST /v2/synchronizers/{alias}/disconnect': participantAdmin,
  'POST /v2/pruning': participantAdmin,
  'GET /v2/pruning': participantAdmin,
  'GET /v2/time': anybodyKnown,
  'POST /v2/time': participantAdmin,
  'POST /dev/snapshots': participantAdmin,
  'GET /dev/snapshots': participantAdmin,
  'DELETE /dev/snapshots/{name}': participantAdmin,
  'POST /dev/snapshots/{name}/restore': participantAdmin,
  'GET /dev/snapshots/{name}/content': participantAdmin,
  'POST /dev/snapshots/{name}/content': participantAdmin,
  'POST /dev/dars': participantAdmin,
  'POST /dev/dry-run': { ...participantAdmin, fillsInUser: true },
  'GET /dev/rejections': participantAdmin,
  'POST /dev/rejections': participantAdmin,
  'POST /dev/faults': participantAdmin,
  'GET /dev/faults': participantAdmin,
  'DELETE /dev/faults': participantAdmin,
  'DELETE /dev/faults/{id}': participantAdmin,
  'GET /dev/fork': anybodyKnown,
  'GET /dev/network': participantAdmin,
  'GET /dev/network/updates/{update-id}': participantAdmin,
  'POST /dev/network': participantAdmin,
  'POST /dev/network/parties': participantAdmin,
  'GET /dev/scripts': participantAdmin,
  'POST /dev/scripts': participantAdmin,
  'POST /dev/reset': participantAdmin,
  'POST /dev/time': participantAdmin,
  'POST /dev/tokens': participantAdmin,
  'POST /dev/sign-in': undefined,
  'POST /dev/sign-in-keys': participantAdmin,
  'POST /dev/sign-out': anybodyKnown,
  'POST /v2/idps': participantAdmin,
  'GET /v2/idps': participantAdmin,
  'GET /v2/idps/{idp-id}': participantAdmin,
  'PATCH /v2/idps/{idp-id}': participantAdmin,
  'DELETE /v2/idps/{idp-id}': participantAdmin,
}

/** Refuses with 401 or 403, or returns the caller's permission. */
export function authorize(
  requirement: Requirement,
  authentication: Authentication,
  subject: Subject,
  participantId: string,
): Permission {
  if ('unauthenticated' in authentication) throw new LedgerError('UNAUTHENTICATED', authentication.unauthenticated)
  const claims = authentication
  if (claims.participantId !== undefined && claims.participantId !== participantId) {
    const ids = `'${shorten(claims.participantId)}', actual participantId is '${participantId}'`
    throw denied(`Claims are only valid for participantId ${ids}`)
  }
  const userId = userIdFor(claims, subject, requirement)
  const missing = requirement.missing(claims, subject)
  if (missing !== undefined) throw lacking(claims, missing)
  return {
    userId,
    identityProviderId: identityProviderFor(claims, subject.identityProviderId),
    reads: (party) => readsAs(claims, party),
    caller: {
      userId: claims.isStoredUser ? claims.userId : undefined,
      isParticipantAdmin: claims.isParticipantAdmin,
      isIdentityProviderAdmin: claims.isIdentityProviderAdmin,
      session: claims.sessionId === undefined ? undefined : { id: claims.sessionId, expiresAtMs: claims.expiresAtMs },
    },
  }
}

function userIdFor(claims: Claims, { userId }: Subject, { fillsInUser = false }: Requirement): string {
  if (userId !== '') return userId ?? ''
  if (claims.userId !== undefined && (claims.isStoredUser || fillsInUser)) return claims.userId
  throw new LedgerError(
    'INVALID_TOKEN',
    `The submitted request is missing a user-id: ${fillsInUser ? noUserToFillIn : noUserToSpeakOf}`,
  )
}

const noUserToFillIn =
  'Cannot default user_id field because claims do not specify an user-id. Is authentication turned on?'
const noUserToSpeakOf = 'requests with an empty user-id are only supported if there is an authenticated user'

/** A caller stays within its identity provider; only a participant administrator can mean "" literally. */
function identityProviderFor(claims: Claims, requested: string | undefined): string {
  if (requested === undefined) return claims.identityProviderId // The operation concerns no particular provider.
  const effective = requested === '' && !claims.isParticipantAdmin ? claims.identityProviderId : requested
  const problem = effective === '' ? undefined : ledgerStringProblem(effective)
  if (problem !== undefined) {
    throw new LedgerError(
      'INVALID_TOKEN',
      `The submitted token has a field with invalid value: Invalid field identity_provider_id: ${problem}`,
    )
  }
  if (claims.identityProviderId !== '' && effective !== claims.identityProviderId) {
    throw denied(
      `identity_provider_id from the request \`${effective}\` does not match the one provided in the authorization ` +
        'claims',
    )
  }
  return effective
}

function callerName(claims: Claims): string {
  return claims.userId === undefined ? 'The caller' : `User ${claims.userId}`
}

function lacking(claims: Claims, missing: Lack): LedgerError {
  const [words, party] = typeof missing === 'string' ? [missing] : [missing.words, missing.party]
  const about: ErrorSubject | undefined =
    party === undefined ? undefined : { kind: 'parties', names: [party], isRight: true }
  return denied(`${callerName(claims)} may not do this: ${words}`, about)
}

function denied(reason: string, about?: ErrorSubject): LedgerError {
  return new LedgerError('PERMISSION_DENIED', reason, about && { about })
}
