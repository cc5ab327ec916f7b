// Tokens in one step: the parties that do not exist yet, a user with just these rights, and its token.
import { invalidArgument, invalidField } from '../../base/errors.ts'
import { shorten, userIdProblem } from '../../base/names.ts'
import { createQueue } from '../../base/queue.ts'
import { type Right, rightKey } from '../../base/rights.ts'
import type { Caller } from '../administration/caller.ts'
import type { Parties } from '../administration/parties.ts'
import type { Users, UserWithRights } from '../administration/users.ts'

export type TokenOrder = {
  /** Each a party id, or a hint: the party with that hint is allocated if it does not exist. */
  readonly parties: readonly string[]
  readonly readAs: readonly string[]
  readonly admin: boolean
  /** "" for a user whose id says its rights. */
  readonly userId: string
  readonly lifetimeMs: number
}

export type IssuedToken = {
  readonly token: string
  readonly userId: string
  /** In the order of the request. */
  readonly parties: string[]
  readonly readAs: string[]
}

export type SignToken = (userId: string, participantId: string, lifetimeMs: number) => Promise<string>

type LedgerParts = { readonly users: Users; readonly parties: Parties }

export type Tokens = { issue(order: TokenOrder, ledger: LedgerParts, caller: Caller): Promise<IssuedToken> }

const partiesMax = 100
/** Leaves room for a number at the end. */
const derivedIdLengthMax = 110

export function createTokens(sign: SignToken): Tokens {
  const oneByOne = createQueue() // Two orders for the same new party must not both allocate it.

  return {
    issue: (order, ledger, caller) =>
      oneByOne(async () => {
        checkOrder(order)
        const parties: string[] = []
        for (const name of order.parties) parties.push(await partyNamed(name, 'parties', ledger.parties, caller))
        const readAs: string[] = []
        for (const name of order.readAs) readAs.push(await partyNamed(name, 'readAs', ledger.parties, caller))
        const rights = distinct([
          ...parties.map((party): Right => ({ kind: 'CanActAs', party })),
          ...readAs.map((party): Right => ({ kind: 'CanReadAs', party })),
          ...(order.admin ? [{ kind: 'ParticipantAdmin' } as const] : []),
        ])
        const userId =
          order.userId === ''
            ? await userWith(rights, parties, readAs, ledger.users, caller)
            : await userNamed(order.userId, rights, parties, ledger.users, caller)
        return { token: await sign(userId, ledger.parties.participantId, order.lifetimeMs), userId, parties, readAs }
      }),
  }
}

function checkOrder({ parties, readAs, admin, userId }: TokenOrder): void {
  const count = parties.length + readAs.length
  if (count === 0 && !admin && userId === '') throw invalidArgument('give parties, readAs, admin or userId')
  if (count > partiesMax) throw invalidArgument(`a token may be for at most ${partiesMax} parties`)
  const problem = userId === '' ? undefined : userIdProblem(userId)
  if (problem !== undefined) throw invalidField('userId', problem)
}

async function partyNamed(name: string, field: string, parties: Parties, caller: Caller): Promise<string> {
  if (name === '') throw invalidField(field, 'a party is named by its id or its hint, not by an empty text')
  if (name.includes('::')) {
    if ((await parties.get([name], '')).length > 0) return name
    throw invalidField(field, `there is no party '${shorten(name)}'; a new one is named by its hint alone`)
  }
  const namespace = parties.participantId.slice(parties.participantId.indexOf('::'))
  const own = `${name}${namespace}`
  const { parties: found } = await parties.list(`${name}::`, '', { pageSize: 2, pageToken: '' })
  // An external party has a namespace of its own.
  if (found.length === 1) return found[0]!.party
  if (found.length > 1 && (await parties.get([own], '')).length > 0) return own
  if (found.length > 1) throw invalidField(field, `several parties are called '${shorten(name)}'; name one by its id`)
  const request = {
    partyIdHint: name,
    localMetadata: { resourceVersion: '', annotations: {} },
    identityProviderId: '',
    synchronizerId: undefined,
    userId: '',
  }
  return (await parties.allocate(request, caller)).party
}

/** A user whose id says its rights: `alice+bank` acts as both. A number is added if that user has other rights. */
async function userWith(
  rights: readonly Right[],
  parties: readonly string[],
  readAs: readonly string[],
  users: Users,
  caller: Caller,
): Promise<string> {
  const words = [
    ...parties.map(hintOf),
    ...readAs.map((party) => `read-${hintOf(party)}`),
    ...(rights.some(({ kind }) => kind === 'ParticipantAdmin') ? ['admin'] : []),
  ]
  const base = [...new Set(words)].join('+').replaceAll(' ', '_').slice(0, derivedIdLengthMax)
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? base : `${base}-${number}`
    const found = await users.find(id)
    if (found === undefined) {
      await create(id, rights, parties, users, caller)
      return id
    }
    if (isUsable(found) && areSame(found.rights, rights)) return id
  }
}

/** A user that exists gets just these rights; without any in the order it keeps its own. */
async function userNamed(
  id: string,
  rights: readonly Right[],
  parties: readonly string[],
  users: Users,
  caller: Caller,
): Promise<string> {
  const found = await users.find(id)
  if (found === undefined) await create(id, rights, parties, users, caller)
  if (found === undefined || rights.length === 0 || areSame(found.rights, rights)) return id
  const wanted = new Set(rights.map(rightKey))
  const surplus = found.rights.filter((right) => !wanted.has(rightKey(right)))
  if (surplus.some(({ kind }) => kind === 'ParticipantAdmin')) {
    throw invalidField('userId', `'${id}' is an administrator and would lose that right; name another user`)
  }
  await users.grant(id, '', rights, caller)
  if (surplus.length > 0) await users.revoke(id, '', surplus, caller)
  return id
}

async function create(
  id: string,
  rights: readonly Right[],
  [primaryParty = '']: readonly string[],
  users: Users,
  caller: Caller,
): Promise<void> {
  const user = {
    id,
    identityProviderId: '',
    primaryParty,
    isDeactivated: false,
    primaryPartyAuthentication: false,
    metadata: { resourceVersion: '', annotations: {} },
  }
  await users.create(user, rights, caller)
}

function isUsable({ user }: UserWithRights): boolean {
  return user.identityProviderId === '' && !user.isDeactivated
}

function areSame(some: readonly Right[], others: readonly Right[]): boolean {
  const keys = new Set(some.map(rightKey))
  return keys.size === others.length && others.every((right) => keys.has(rightKey(right)))
}

function distinct(rights: readonly Right[]): Right[] {
  return [...new Map(rights.map((right) => [rightKey(right), right])).values()]
}

function hintOf(party: string): string {
  return party.slice(0, party.indexOf('::'))
}
