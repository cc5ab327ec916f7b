// Who may do what: users with one right each, and tokens that are not believed.
import { createHmac } from 'node:crypto'
import { filtersFor, right, updateFormat, type World } from '../world.ts'

export async function tokenSession(world: World): Promise<void> {
  const { both, alice, bank, bob, createIou, commandsOf } = world
  if (!both.hasTokens) return
  const rights: Readonly<Record<string, readonly object[]>> = {
    powerless: [],
    actor: [right('CanActAs', alice)],
    reader: [right('CanReadAs', alice)],
    executor: [right('CanExecuteAs', alice)],
    anyreader: [right('CanReadAsAnyParty')],
    idpadmin: [right('IdentityProviderAdmin')],
    admin: [right('ParticipantAdmin')],
    stranger: [right('CanActAs', bob)],
  }
  for (const [id, given] of Object.entries(rights)) await both.post('/v2/users', { user: { id }, rights: given })
  const { offset } = await both.get('/v2/state/ledger-end')
  const format = updateFormat({ ...filtersFor([alice]), verbose: false })
  const any = updateFormat({ filtersByParty: {}, filtersForAnyParty: {}, verbose: false })
  const range = { beginExclusive: 0, endInclusive: 1 }
  const calls = (userId: string): readonly (readonly [method: string, path: string, body?: unknown])[] => [
    ...([
      ['GET', '/v2/version'],
      ['GET', '/v2/users'],
      ['GET', '/v2/parties'],
      ['GET', '/v2/idps'],
    ] as const),
    ...([
      ['GET', '/v2/packages'],
      ['GET', '/v2/state/ledger-end'],
      ['GET', '/v2/authenticated-user'],
    ] as const),
    ...([
      ['GET', `/v2/users/${userId}`],
      ['GET', '/v2/users/app'],
      ['GET', '/v2/users/app/rights'],
    ] as const),
    ...([
      ['GET', '/v2/parties/participant-id'],
      ['GET', '/v2/state/connected-synchronizers'],
    ] as const),
    ['GET', `/v2/parties/${encodeURIComponent(alice)}`],
    ['GET', '/v2/state/latest-pruned-offsets'],
    ['GET', '/v2/idps/x'],
    ['POST', '/v2/parties', { partyIdHint: `of-${userId}` }],
    ['POST', '/v2/users', { user: { id: `of-${userId}` } }],
    [
      'PATCH',
      '/v2/idps/x',
      { identityProviderConfig: { identityProviderId: 'x' }, updateMask: { paths: ['audience'] } },
    ],
    ['POST', '/v2/updates', { ...range, updateFormat: format }],
    ['POST', '/v2/updates', { ...range, updateFormat: any }],
    ['POST', '/v2/updates/trees', { ...range, filter: filtersFor([alice]), verbose: false }],
    ['POST', '/v2/updates/transaction-by-offset', { offset, requestingParties: [alice] }],
    ['POST', '/v2/updates/transaction-by-offset', { offset, requestingParties: [bob] }],
    ['POST', '/v2/state/active-contracts', { activeAtOffset: 0, eventFormat: filtersFor([alice]) }],
    [
      'POST',
      '/v2/commands/completions?stream_idle_timeout_ms=50&limit=1',
      { userId, parties: [alice], beginExclusive: 0 },
    ],
    ['POST', '/v2/commands/async/submit', commandsOf([createIou()], { userId, actAs: [alice] })],
    ['POST', '/v2/commands/async/submit', commandsOf([createIou()], { userId: undefined, actAs: [alice, bank] })],
    ['POST', '/v2/commands/async/submit', commandsOf([createIou()], { userId: 'app', actAs: [alice] })],
    ['POST', '/v2/commands/async/submit', commandsOf([createIou()], { userId, actAs: [alice], readAs: [bob] })],
    [
      'POST',
      '/v2/commands/async/submit-reassignment',
      { reassignmentCommands: { userId, commandId: 'x', submitter: alice, commands: [] } },
    ],
    ['POST', '/v2/interactive-submission/prepare', { ...commandsOf([createIou()], { userId, actAs: [alice] }) }],
  ]
  for (const user of [...Object.keys(rights), 'unknown-user', 'nobody']) {
    for (const [method, path, body] of calls(user))
      await both.call(method, path, { as: user, body, note: `as ${user}` })
  }
  const bad = ['x', 'x.y.z', 'Bearer', ...brokenTokens()]
  for (const token of bad) {
    const headers = { authorization: `Bearer ${token}` }
    for (const [method, path, body] of calls('app')) {
      await both.call(method, path, { headers, body, note: `token ${token.slice(0, 60)}` })
    }
  }
}

/** Signed with another secret, expired, not yet valid, without a subject, of another algorithm. */
function brokenTokens(): readonly string[] {
  const now = Math.floor(Date.now() / 1000)
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = (claims: object, header: object = { alg: 'HS256', typ: 'JWT' }) => {
    const text = `${encode(header)}.${encode(claims)}`
    return `${text}.${createHmac('sha256', 'another').update(text).digest('base64url')}`
  }
  return [
    token({ sub: 'participant_admin', exp: now + 3600 }),
    token({ sub: 'participant_admin', exp: now - 3600 }),
    token({ exp: now + 3600 }),
    token({ sub: 'participant_admin' }, { alg: 'none' }),
  ]
}
