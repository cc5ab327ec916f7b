// Authorization over HTTP: every operation with every kind of caller, the restriction to an identity provider, and the
// answers to refused callers.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { requirements } from '../../src/auth/authorization.ts'
import { transactionHash } from '../../src/ledger/topology/mappings.ts'
import { decodeDar } from '../../src/lf/dar/dar.ts'
import { type Issuer, signWith, startIssuer } from '../fixtures/issuer.ts'
import { filtersFor, type Json, right, transactionFormat, updateFormat } from '../fixtures/ledger.ts'
import { type Answer, refusalOf, startTestNode, type TestNode, type TestOptions } from '../fixtures/node.ts'
import {
  allocatePath,
  base64,
  createOnboardingClient,
  generatePath,
  type OnboardingClient,
} from '../fixtures/onboarding.ts'
import { createSigner } from '../fixtures/signer.ts'
import { usage } from '../fixtures/topology.ts'
import { sampleDar } from '../support/lf/sample-package.ts'

// Users by id. Those called acme-… belong to the identity provider acme, the others to the default one.
const callers = {
  participant_admin: [right('ParticipantAdmin')],
  'idp-admin': [right('IdentityProviderAdmin')],
  'acme-admin': [right('IdentityProviderAdmin')],
  'acme-root': [right('ParticipantAdmin')],
  plain: [],
  'acme-plain': [],
  actor: [right('CanActAs', 'p')],
  reader: [right('CanReadAs', 'p')],
  executor: [right('CanExecuteAs', 'p')],
  'any-reader': [right('CanReadAsAnyParty')],
  'any-executor': [right('CanExecuteAsAnyParty')],
} satisfies Record<string, object[]>

type Caller = keyof typeof callers
const everybody = Object.keys(callers) as Caller[]
const admin: Caller = 'participant_admin'

type Call = [method: string, path: string, body?: object]

/** A node with all the callers, and a function to call it as each of them. */
async function startWithCallers(options: TestOptions = {}) {
  await using parts = new AsyncDisposableStack()
  const issuer = parts.use(await startIssuer())
  const node = parts.use(await startTestNode(options))
  await createIdentityProvider(node, 'acme', issuer)
  await createIdentityProvider(node, 'other')
  const party: string = (await node.call('POST', '/v2/parties', { body: { partyIdHint: 'p' } })).json.partyDetails.party
  const tokens = new Map<Caller, string>()
  for (const id of everybody) {
    const identityProviderId = id.startsWith('acme-') ? 'acme' : ''
    const rights = JSON.parse(JSON.stringify(callers[id]).replaceAll('"p"', JSON.stringify(party)))
    await node.call('POST', '/v2/users', { body: { user: { id, identityProviderId }, rights } })
    tokens.set(id, identityProviderId === '' ? await node.token(id) : await tokenOf(issuer, node, id))
  }
  const owned = parts.move()
  return {
    node,
    issuer,
    party,
    as: (caller: Caller, [method, path, body]: Call) => node.call(method, path, { token: tokens.get(caller)!, body }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Creates two contracts of the party; returns the later one. */
async function makeHappen({ party, as }: Awaited<ReturnType<typeof startWithCallers>>): Promise<Happened> {
  const path = '/v2/commands/submit-and-wait-for-transaction'
  const make = (commandId: string) =>
    as('actor', ['POST', path, { commands: { commands: [walletOf(party)], commandId, actAs: [party] } }])
  await make('first')
  const { offset, updateId, events } = (await make('second')).json.transaction
  return { offset, updateId, contractId: events[0].CreatedEvent.contractId }
}

const createIdentityProvider = (node: TestNode, id: string, issuer?: Issuer) =>
  node.call('POST', '/v2/idps', {
    body: {
      identityProviderConfig: {
        identityProviderId: id,
        issuer: issuer?.issuer ?? `https://${id}.example`,
        jwksUrl: issuer?.jwksUrl ?? `https://${id}.example/keys`,
      },
    },
  })

const tokenOf = (issuer: Issuer, node: TestNode, userId: string) =>
  issuer.sign({ sub: userId, aud: `https://daml.com/jwt/aud/participant/${node.node.participantId}` })

const createUser = (node: TestNode, id: string, rights: object[] = [], identityProviderId = '') =>
  node.call('POST', '/v2/users', { body: { user: { id, identityProviderId }, rights } })

const changeRights = (node: TestNode, method: 'POST' | 'PATCH', id: string, rights: object[], token?: string) =>
  node.call(method, `/v2/users/${id}/rights`, { body: { userId: id, rights }, ...(token && { token }) })

const missing = (field: string) => `The submitted command is missing a mandatory field: ${field}`
const invalid = (reason: string) => `The submitted request has invalid arguments: ${reason}`

type Row = {
  /** As in the table of requirements, followed by what is special about the request. */
  readonly operation: string
  readonly about?: string
  /** Everyone else is refused with 403. */
  readonly allowed: readonly Caller[]
  /** Created for each caller, with a new id. */
  readonly call: (id: string) => Call
  /** A call of the administrator before each caller's turn. */
  readonly before?: (id: string) => Call
}

const defaultAdmins: Caller[] = [admin, 'idp-admin']
/** A participant administrator of acme must name acme: for it, "" is the default identity provider. */
const acmeAdmins: Caller[] = [...defaultAdmins, 'acme-admin', 'acme-root']
const participantAdmins: Caller[] = [admin, 'acme-root']
const wideRights = ['ParticipantAdmin', 'CanReadAsAnyParty', 'CanExecuteAsAnyParty']

/** What happened before the reads. */
type Happened = { readonly offset: number; readonly updateId: string; readonly contractId: string }

const walletOf = (owner: string) => ({
  CreateCommand: { templateId: '#quickstart:Wallet:Wallet', createArguments: { owner } },
})

/** Operations on each party's data: for callers that act or read as it, or read as any party. */
function ledgerRowsAbout(party: string, otherParty: string, { offset, updateId, contractId }: Happened): Row[] {
  const readers: Caller[] = ['actor', 'reader', 'any-reader']
  const anyReader: Caller[] = ['any-reader']
  const nobody: Caller[] = []
  const own = filtersFor([party])
  const both = filtersFor([party, otherParty])
  const anyParty = { filtersForAnyParty: {} }
  const topology = (...parties: string[]) => ({
    includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties } },
  })
  const post = (path: string, body: object | ((id: string) => object)) => (id: string) =>
    ['POST', path, typeof body === 'function' ? body(id) : body] satisfies Call
  const rows = (path: string, ...cases: [about: string, body: object, allowed: readonly Caller[]][]): Row[] =>
    cases.map(([about, body, allowed]) => ({ operation: `POST ${path}`, about, allowed, call: post(path, body) }))
  const listed = (path: string, ...cases: [about: string, body: object, allowed: readonly Caller[]][]): Row[] =>
    cases.map(([about, body, allowed]) => ({
      operation: `POST ${path}`,
      about,
      allowed,
      call: post(`${path}?stream_idle_timeout_ms=1`, body),
    }))

  const submitted: [about: string, fields: object, allowed: readonly Caller[]][] = [
    ['for itself', {}, ['actor']],
    ['with its user id', { userId: 'actor' }, ['actor']],
    ['with the user id of another', { userId: 'plain' }, nobody],
    ['and reads as the same party', { readAs: [party] }, ['actor']],
    ['and reads as another party', { readAs: [party, otherParty] }, nobody],
    ['and acts as another party too', { actAs: [party, otherParty] }, nobody],
  ]
  const commandsIn =
    (fields: object) =>
    (id: string): object => ({ commands: [walletOf(party)], commandId: id, actAs: [party], ...fields })
  const submissions = [
    '/v2/commands/async/submit',
    '/v2/commands/submit-and-wait',
    '/v2/commands/submit-and-wait-for-transaction-tree',
  ].flatMap((path) =>
    submitted.map(
      ([about, fields, allowed]): Row => ({
        operation: `POST ${path}`,
        about,
        allowed,
        call: post(path, commandsIn(fields)),
      }),
    ),
  )
  const prepare = '/v2/interactive-submission/prepare'
  const preferred = '/v2/interactive-submission/preferred'
  const requirements = [{ packageName: 'quickstart', parties: [party] }]
  const interactive: Row[] = [
    { operation: `POST ${prepare}`, allowed: readers, call: post(prepare, commandsIn({})) },
    {
      operation: `POST ${prepare}`,
      about: 'reading as another party too',
      allowed: anyReader,
      call: post(prepare, commandsIn({ readAs: [otherParty] })),
    },
    {
      operation: `POST ${preferred}-packages`,
      allowed: everybody,
      call: () => ['POST', `${preferred}-packages`, { packageVettingRequirements: requirements }],
    },
    {
      operation: `GET ${preferred}-package-version`,
      allowed: everybody,
      call: () => ['GET', `${preferred}-package-version?parties=${encodeURIComponent(party)}&package-name=quickstart`],
    },
  ]
  const forTransaction = '/v2/commands/submit-and-wait-for-transaction'
  const withFormat: [about: string, format: object | undefined, allowed: readonly Caller[]][] = [
    ['in its own format', transactionFormat(own), ['actor']],
    ['in a format for another party', transactionFormat(both), nobody],
    ['in a format for any party', transactionFormat(anyParty), nobody],
  ]

  const byFormat: [about: string, format: object, allowed: readonly Caller[]][] = [
    ['for the party', updateFormat(own, 'LEDGER_EFFECTS'), readers],
    ['for another party too', updateFormat(both, 'LEDGER_EFFECTS'), anyReader],
    ['for any party', updateFormat(anyParty, 'LEDGER_EFFECTS'), anyReader],
    ['and reassignments of any party', { ...updateFormat(own), includeReassignments: anyParty }, anyReader],
    ['and reassignments of another party', { ...updateFormat(own), includeReassignments: both }, anyReader],
    ['and where the party is hosted', { ...updateFormat(own), ...topology(party) }, readers],
    ['and where another party is hosted', { ...updateFormat(own), ...topology(otherParty) }, anyReader],
    ['and where all parties are hosted', { ...updateFormat(own), ...topology() }, anyReader],
  ]
  const byFilter: [about: string, filter: object, allowed: readonly Caller[]][] = [
    ['for the party', own, readers],
    ['for another party too', both, anyReader],
    ['for any party', anyParty, anyReader],
  ]
  const lookups: [path: string, key: object][] = [
    ['/v2/updates/update-by-offset', { offset }],
    ['/v2/updates/update-by-id', { updateId }],
  ]
  const olderLookups: [path: string, key: object][] = [
    ['/v2/updates/transaction-by-offset', { offset }],
    ['/v2/updates/transaction-by-id', { updateId }],
  ]
  const trees: [operation: string, path: string][] = [
    ['GET /v2/updates/transaction-tree-by-offset/{offset}', `/v2/updates/transaction-tree-by-offset/${offset}`],
    ['GET /v2/updates/transaction-tree-by-id/{update-id}', `/v2/updates/transaction-tree-by-id/${updateId}`],
  ]
  const partyInQuery = `parties=${encodeURIComponent(party)}`
  const get = (path: string) => (): Call => ['GET', path]
  const activePage = '/v2/state/active-contracts-page'

  return [
    ...submissions,
    ...interactive,
    ...submitted.map(
      ([about, fields, allowed]): Row => ({
        operation: `POST ${forTransaction}`,
        about,
        allowed,
        call: post(forTransaction, (id) => ({ commands: commandsIn(fields)(id) })),
      }),
    ),
    ...withFormat.map(
      ([about, format, allowed]): Row => ({
        operation: `POST ${forTransaction}`,
        about,
        allowed,
        call: post(forTransaction, (id) => ({ commands: commandsIn({})(id), transactionFormat: format })),
      }),
    ),
    ...listed(
      '/v2/commands/completions',
      ['of its own user', { parties: [party] }, readers],
      ['of its own user, by name', { userId: 'reader', parties: [party] }, ['reader', 'any-reader']],
      ['of another user', { userId: 'plain', parties: [party] }, anyReader],
      ['of another party too', { parties: [party, otherParty] }, anyReader],
    ),
    ...listed(
      '/v2/commands/command-completions',
      ['of the party', { parties: [party] }, readers],
      ['of another party too', { parties: [party, otherParty] }, anyReader],
      ['of all parties', {}, anyReader],
    ),
    ...['/v2/updates', '/v2/updates/flats'].flatMap((path) =>
      listed(
        path,
        ...byFormat.map(([about, format, allowed]): [string, object, readonly Caller[]] => [
          about,
          { updateFormat: format },
          allowed,
        ]),
        ['of no kind', { updateFormat: {} }, everybody],
      ),
    ),
    ...['/v2/updates', '/v2/updates/flats', '/v2/updates/trees'].flatMap((path) =>
      listed(
        path,
        ...byFilter.map(([about, filter, allowed]): [string, object, readonly Caller[]] => [
          `in the older form, ${about}`,
          { beginExclusive: 0, filter },
          allowed,
        ]),
      ),
    ),
    ...rows(
      '/v2/updates/get-updates-page',
      ...byFormat.map(([about, format, allowed]): [string, object, readonly Caller[]] => [
        about,
        { updateFormat: format },
        allowed,
      ]),
    ),
    ...lookups.flatMap(([path, key]) =>
      rows(
        path,
        ...byFormat.map(([about, format, allowed]): [string, object, readonly Caller[]] => [
          about,
          { ...key, updateFormat: format },
          allowed,
        ]),
      ),
    ),
    ...olderLookups.flatMap(([path, key]) =>
      rows(
        path,
        ['for the party', { ...key, requestingParties: [party] }, readers],
        ['for another party too', { ...key, requestingParties: [party, otherParty] }, anyReader],
        ['in a format for the party', { ...key, transactionFormat: transactionFormat(own) }, readers],
        ['in a format for any party', { ...key, transactionFormat: transactionFormat(anyParty) }, anyReader],
      ),
    ),
    ...trees.flatMap(([operation, path]): Row[] => [
      { operation, allowed: readers, call: get(`${path}?${partyInQuery}`) },
      {
        operation,
        about: 'for another party too',
        allowed: anyReader,
        call: get(`${path}?${partyInQuery}&parties=${encodeURIComponent(otherParty)}`),
      },
    ]),
    { operation: 'GET /v2/state/ledger-end', allowed: everybody, call: get('/v2/state/ledger-end') },
    {
      operation: 'GET /v2/state/latest-pruned-offsets',
      allowed: everybody,
      call: get('/v2/state/latest-pruned-offsets'),
    },
    ...rows(
      '/v2/state/active-contracts',
      ...byFilter.flatMap(([about, filter, allowed]): [string, object, readonly Caller[]][] => [
        [about, { activeAtOffset: offset, eventFormat: filter }, allowed],
        [`in the older form, ${about}`, { activeAtOffset: offset, filter }, allowed],
      ]),
    ),
    ...['POST', 'GET'].flatMap((method) =>
      byFilter.map(
        ([about, filter, allowed]): Row => ({
          operation: `${method} ${activePage}`,
          about,
          allowed,
          call: () => [method, activePage, { eventFormat: filter }],
        }),
      ),
    ),
    ...rows(
      '/v2/events/events-by-contract-id',
      ...byFilter.map(([about, filter, allowed]): [string, object, readonly Caller[]] => [
        about,
        { contractId, eventFormat: filter },
        allowed,
      ]),
    ),
    ...rows(
      '/v2/contracts/contract-by-id',
      ['for the party', { contractId, queryingParties: [party] }, readers],
      ['for another party too', { contractId, queryingParties: [party, otherParty] }, anyReader],
      ['for anybody', { contractId }, anyReader],
    ),
    { operation: 'GET /v2/time', allowed: everybody, call: get('/v2/time') },
    ...rows('/v2/time', [
      'from now to now',
      { currentTime: '1970-01-01T00:00:00Z', newTime: '1970-01-01T00:00:00Z' },
      participantAdmins,
    ]),
    { operation: 'GET /v2/synchronizers', allowed: participantAdmins, call: get('/v2/synchronizers') },
    ...['connect', 'disconnect'].map(
      (verb): Row => ({
        operation: `POST /v2/synchronizers/{alias}/${verb}`,
        allowed: participantAdmins,
        call: () => ['POST', `/v2/synchronizers/private/${verb}`],
      }),
    ),
    ...rows('/v2/pruning', ['of what is first', { pruneUpTo: 1 }, participantAdmins]),
    { operation: 'GET /v2/pruning', allowed: participantAdmins, call: get('/v2/pruning') },
  ]
}

function rowsAbout(party: string, acmeParty: string, otherParty: string): Row[] {
  const inPath = encodeURIComponent(party)
  const newUser =
    (identityProviderId: string, ...rights: object[]) =>
    (id: string): Call => ['POST', '/v2/users', { user: { id, identityProviderId }, rights }]
  const updateUser = (id: string, identityProviderId: string) => (): Call => [
    'PATCH',
    `/v2/users/${id}`,
    { user: { id, identityProviderId }, updateMask: { paths: ['primary_party'] } },
  ]
  const changeRights =
    (method: string, userId: string, identityProviderId: string, ...rights: object[]) =>
    (): Call => [method, `/v2/users/${userId}/rights`, { userId, identityProviderId, rights }]
  const updateParty = (id: string, identityProviderId: string) => (): Call => [
    'PATCH',
    `/v2/parties/${encodeURIComponent(id)}`,
    { partyDetails: { party: id, identityProviderId }, updateMask: { paths: ['party'] } },
  ]
  const newProvider = (id: string): Call => [
    'POST',
    '/v2/idps',
    {
      identityProviderConfig: {
        identityProviderId: id,
        issuer: `https://${id}.example`,
        jwksUrl: `https://${id}.example/keys`,
      },
    },
  ]
  const get = (path: string) => (): Call => ['GET', path]
  const allocate = (request: object) => (): Call => ['POST', '/v2/parties', request]
  const operators: Caller[] = ['actor', 'reader', 'executor', 'any-reader', 'any-executor']

  return [
    {
      operation: 'GET /v2/authenticated-user',
      allowed: everybody.filter((caller) => caller !== 'acme-root'),
      call: get('/v2/authenticated-user'),
    },
    {
      operation: 'GET /v2/authenticated-user',
      about: 'of acme',
      allowed: ['acme-admin', 'acme-root', 'acme-plain'],
      call: get('/v2/authenticated-user?identity-provider-id=acme'),
    },
    { operation: 'GET /v2/users', allowed: [...defaultAdmins, 'acme-admin'], call: get('/v2/users') },
    { operation: 'GET /v2/users/{user-id}', allowed: [...defaultAdmins, 'plain'], call: get('/v2/users/plain') },
    {
      operation: 'GET /v2/users/{user-id}',
      about: 'of acme',
      allowed: [...acmeAdmins, 'acme-plain'],
      call: get('/v2/users/acme-plain?identity-provider-id=acme'),
    },
    {
      operation: 'GET /v2/users/{user-id}',
      about: 'of acme, without saying so',
      allowed: ['acme-admin', 'acme-plain'],
      call: get('/v2/users/acme-plain'),
    },
    {
      operation: 'GET /v2/users/{user-id}',
      about: 'of acme, as one of another identity provider',
      allowed: [],
      call: get('/v2/users/acme-plain?identity-provider-id=other'),
    },
    { operation: 'POST /v2/users', allowed: [...defaultAdmins, 'acme-admin'], call: newUser('') },
    { operation: 'POST /v2/users', about: 'of acme', allowed: acmeAdmins, call: newUser('acme') },
    {
      operation: 'POST /v2/users',
      about: 'of another identity provider',
      allowed: defaultAdmins,
      call: newUser('other'),
    },
    {
      operation: 'POST /v2/users',
      about: 'with rights within acme',
      allowed: acmeAdmins,
      call: newUser(
        'acme',
        right('IdentityProviderAdmin'),
        right('CanActAs', acmeParty),
        right('CanExecuteAs', acmeParty),
      ),
    },
    ...wideRights.flatMap((kind): Row[] => [
      {
        operation: 'POST /v2/users',
        about: `with ${kind}`,
        allowed: [admin],
        call: newUser('', right('CanActAs', party), right(kind)),
      },
      {
        operation: 'POST /v2/users',
        about: `of acme with ${kind}`,
        allowed: participantAdmins,
        call: newUser('acme', right(kind)),
      },
    ]),
    { operation: 'PATCH /v2/users/{user-id}', allowed: defaultAdmins, call: updateUser('plain', '') },
    {
      operation: 'PATCH /v2/users/{user-id}',
      about: 'of acme',
      allowed: acmeAdmins,
      call: updateUser('acme-plain', 'acme'),
    },
    {
      operation: 'PATCH /v2/users/{user-id}',
      about: 'of acme, without saying so',
      allowed: ['acme-admin'],
      call: updateUser('acme-plain', ''),
    },
    {
      operation: 'DELETE /v2/users/{user-id}',
      allowed: defaultAdmins,
      before: newUser(''),
      call: (id) => ['DELETE', `/v2/users/${id}`],
    },
    {
      operation: 'DELETE /v2/users/{user-id}',
      about: 'of acme', // Only callers that need not name acme can.
      allowed: ['acme-admin'],
      before: newUser('acme'),
      call: (id) => ['DELETE', `/v2/users/${id}`],
    },
    {
      operation: 'GET /v2/users/{user-id}/rights',
      allowed: [...defaultAdmins, 'plain'],
      call: get('/v2/users/plain/rights'),
    },
    {
      operation: 'GET /v2/users/{user-id}/rights',
      about: 'of acme',
      allowed: ['acme-admin', 'acme-plain'],
      call: get('/v2/users/acme-plain/rights'),
    },
    ...['POST', 'PATCH'].flatMap((method): Row[] => {
      const operation = `${method} /v2/users/{user-id}/rights`
      const harmless = [right('IdentityProviderAdmin')]
      return [
        { operation, about: 'none', allowed: defaultAdmins, call: changeRights(method, 'plain', '') },
        {
          operation,
          about: 'within an identity provider',
          allowed: defaultAdmins,
          call: changeRights(method, 'target', '', ...harmless),
        },
        {
          operation,
          about: 'within acme',
          allowed: acmeAdmins,
          call: changeRights(method, 'acme-target', 'acme', ...harmless, right('CanReadAs', acmeParty)),
        },
        {
          operation,
          about: 'within acme, without saying so',
          allowed: ['acme-admin'],
          call: changeRights(method, 'acme-target', '', ...harmless),
        },
        ...wideRights.flatMap((kind): Row[] => [
          {
            operation,
            about: kind,
            allowed: [admin],
            call: changeRights(method, 'target', '', right('CanActAs', party), right(kind)),
          },
          {
            operation,
            about: `${kind} in acme`,
            allowed: participantAdmins,
            call: changeRights(method, 'acme-target', 'acme', right(kind)),
          },
        ]),
      ]
    }),
    {
      operation: 'PATCH /v2/users/{user-id}/identity-provider-id',
      allowed: participantAdmins,
      call: () => ['PATCH', '/v2/users/plain/identity-provider-id', { userId: 'plain' }],
    },
    { operation: 'POST /v2/parties', allowed: [...defaultAdmins, 'acme-admin'], call: allocate({}) },
    {
      operation: 'POST /v2/parties',
      about: 'in acme',
      allowed: acmeAdmins,
      call: allocate({ identityProviderId: 'acme' }),
    },
    {
      operation: 'POST /v2/parties',
      about: 'in another identity provider',
      allowed: defaultAdmins,
      call: allocate({ identityProviderId: 'other' }),
    },
    {
      operation: 'POST /v2/parties',
      about: 'for a user, which may not allocate for itself by default',
      allowed: defaultAdmins,
      call: allocate({ userId: 'plain' }),
    },
    { operation: 'GET /v2/parties', allowed: [...defaultAdmins, 'acme-admin'], call: get('/v2/parties') },
    {
      operation: 'GET /v2/parties',
      about: 'as acme sees them',
      allowed: acmeAdmins,
      call: get('/v2/parties?identity-provider-id=acme'),
    },
    {
      operation: 'GET /v2/parties',
      about: 'as another identity provider sees them',
      allowed: defaultAdmins,
      call: get('/v2/parties?identity-provider-id=other'),
    },
    { operation: 'GET /v2/parties/participant-id', allowed: everybody, call: get('/v2/parties/participant-id') },
    {
      operation: 'GET /v2/parties/{party}',
      allowed: [...defaultAdmins, 'acme-admin', ...operators],
      call: get(`/v2/parties/${inPath}`),
    },
    {
      operation: 'GET /v2/parties/{party}',
      about: 'with another party',
      allowed: [...defaultAdmins, 'acme-admin', 'any-reader', 'any-executor'],
      call: get(`/v2/parties/${inPath}?parties=${inPath}&parties=${encodeURIComponent(otherParty)}`),
    },
    {
      operation: 'GET /v2/parties/{party}',
      about: 'as acme sees it',
      allowed: [...acmeAdmins, ...operators],
      call: get(`/v2/parties/${inPath}?identity-provider-id=acme`),
    },
    { operation: 'PATCH /v2/parties/{party}', allowed: defaultAdmins, call: updateParty(party, '') },
    {
      operation: 'PATCH /v2/parties/{party}',
      about: 'of acme',
      allowed: acmeAdmins,
      call: updateParty(acmeParty, 'acme'),
    },
    {
      operation: 'PATCH /v2/parties/{party}',
      about: 'of acme, without saying so',
      allowed: ['acme-admin'],
      call: updateParty(acmeParty, ''),
    },
    { operation: 'POST /v2/idps', allowed: participantAdmins, call: newProvider },
    { operation: 'GET /v2/idps', allowed: participantAdmins, call: get('/v2/idps') },
    { operation: 'GET /v2/idps/{idp-id}', allowed: participantAdmins, call: get('/v2/idps/acme') },
    {
      operation: 'PATCH /v2/idps/{idp-id}',
      allowed: participantAdmins,
      call: () => [
        'PATCH',
        '/v2/idps/other',
        { identityProviderConfig: { identityProviderId: 'other' }, updateMask: { paths: ['audience'] } },
      ],
    },
    {
      operation: 'DELETE /v2/idps/{idp-id}',
      allowed: participantAdmins,
      before: newProvider,
      call: (id) => ['DELETE', `/v2/idps/${id}`],
    },
    ...['/v2/dars', '/v2/packages', '/v2/dars/validate'].map(
      (path): Row => ({
        operation: `POST ${path}`,
        allowed: participantAdmins,
        call: () => ['POST', path, sampleDar(1)],
      }),
    ),
    { operation: 'GET /v2/packages', allowed: everybody, call: get('/v2/packages') },
    {
      operation: 'GET /v2/packages/{package-id}',
      allowed: everybody,
      before: () => ['POST', '/v2/dars', sampleDar(1)],
      call: get(`/v2/packages/${decodeDar(sampleDar(1)).main.package.id}`),
    },
    {
      operation: 'GET /v2/packages/{package-id}/status',
      allowed: everybody,
      call: get('/v2/packages/unknown/status'),
    },
    { operation: 'GET /v2/package-vetting', allowed: everybody, call: () => ['GET', '/v2/package-vetting', {}] },
    {
      operation: 'POST /v2/package-vetting/list',
      allowed: everybody,
      call: () => ['POST', '/v2/package-vetting/list', {}],
    },
    ...['/v2/package-vetting', '/v2/package-vetting/update'].map(
      (path): Row => ({
        operation: `POST ${path}`,
        allowed: participantAdmins,
        call: () => ['POST', path, { changes: [] }],
      }),
    ),
    {
      operation: 'GET /v2/state/connected-synchronizers',
      allowed: everybody,
      call: get('/v2/state/connected-synchronizers?identityProviderId=other'),
    },
    {
      operation: 'GET /v2/state/connected-synchronizers',
      about: 'of a party',
      allowed: [...defaultAdmins, 'acme-admin', ...operators],
      call: get(`/v2/state/connected-synchronizers?party=${inPath}`),
    },
    {
      operation: 'GET /v2/state/connected-synchronizers',
      about: 'of a party, for acme',
      allowed: [...acmeAdmins, ...operators],
      call: get(`/v2/state/connected-synchronizers?party=${inPath}&identityProviderId=acme`),
    },
  ]
}

/** Onboarding of external parties: a new one for each call. */
function externalRowsOf({ synchronizer, hosting }: OnboardingClient): Row[] {
  const generate = (): Call => {
    return ['POST', generatePath, { synchronizer, partyHint: 'x', publicKey: createSigner().publicKey }]
  }
  const allocate = (more: object) => (): Call => {
    const signer = createSigner()
    const bytes = hosting({ party: `x::${signer.fingerprint}`, keys: [{ signer }] })
    const transaction = { transaction: base64(bytes), signatures: [signer.sign(transactionHash(bytes))] }
    return ['POST', allocatePath, { synchronizer, onboardingTransactions: [transaction], ...more }]
  }
  const operation = `POST ${allocatePath}`
  return [
    { operation: `POST ${generatePath}`, allowed: everybody, call: generate },
    { operation, allowed: [...defaultAdmins, 'acme-admin'], call: allocate({}) },
    { operation, about: 'in acme', allowed: acmeAdmins, call: allocate({ identityProviderId: 'acme' }) },
    { operation, about: 'for a user', allowed: defaultAdmins, call: allocate({ userId: 'plain' }) },
  ]
}

// On one store: rights are decided before it is asked, and users.test.ts keeps and reads them on both.
describe('rights', () => {
  test('decide about every operation for every kind of caller', async (t) => {
    const settings = { limits: { identityProvidersMax: 1000 }, time: { kind: 'static' } } as const
    await using ready = await startWithCallers({ settings })
    const { node, party, as } = ready
    await createUser(node, 'target')
    await createUser(node, 'acme-target', [], 'acme')
    const allocated = async (request: object): Promise<string> =>
      (await node.call('POST', '/v2/parties', { body: request })).json.partyDetails.party
    const otherParty = await allocated({})
    const rows = [
      ...rowsAbout(party, await allocated({ identityProviderId: 'acme' }), otherParty),
      ...externalRowsOf(await createOnboardingClient(node)),
      ...ledgerRowsAbout(party, otherParty, await makeHappen(ready)),
    ]
    let calls = 0
    for (const { operation, about, allowed, call, before } of rows) {
      await t.test(about === undefined ? operation : `${operation}, ${about}`, async () => {
        const seen: Record<string, number> = {}
        for (const caller of everybody) {
          calls += 1
          const id = `id${calls}`
          if (before !== undefined) assert.equal((await as(admin, before(id))).status, 200)
          seen[caller] = (await as(caller, call(id))).status
        }
        const want = everybody.map((caller) => [caller, allowed.includes(caller) ? 200 : 403])
        assert.deepEqual(seen, Object.fromEntries(want))
        const [method, path, body] = call('nobody')
        assert.equal((await node.call(method, path, { token: null, body })).status, 401)
      })
    }
    const known = Object.keys(requirements).filter((operation) => requirements[operation] !== undefined)
    const walked = new Set(rows.map(({ operation }) => operation))
    // Rights to submit and read depend on parties rather than on stored users: src/api/routes/rights.test.ts.
    // Executing needs a signature: interactive-submission.test.ts.
    const elsewhere = /\/v2\/(commands|updates|state|events|contracts|interactive-submission\/execute)/
    assert.deepEqual(
      known.filter((operation) => operation.includes('/v2/') && !walked.has(operation) && !elsewhere.test(operation)),
      [],
    )
  })

  test('to act and to read add up, and reading as any party includes each', async () => {
    await using ready = await startWithCallers()
    const { node, party } = ready
    const other: string = (await node.call('POST', '/v2/parties', { body: {} })).json.partyDetails.party
    const users: Record<string, object[]> = {
      both: [right('CanActAs', party), right('CanReadAs', other)],
      all: [right('CanActAs', party), right('CanReadAsAnyParty')],
      two: [right('CanActAs', party), right('CanActAs', other)],
    }
    for (const [id, rights] of Object.entries(users)) await createUser(node, id, rights)
    const mayNot = (user: string, missing: string) => `User ${user} may not do this: the right ${missing} is missing`
    const rows: [user: string, fields: object, eventFormat: object | undefined, cause?: string][] = [
      ['both', { readAs: [other] }, undefined],
      ['both', {}, filtersFor([party, other])],
      ['both', {}, { filtersForAnyParty: {} }, mayNot('both', 'CanReadAsAnyParty')],
      ['both', { actAs: [party, other] }, undefined, mayNot('both', `CanActAs ${other}`)],
      ['all', { readAs: [other, 'stranger'] }, undefined],
      ['all', {}, { filtersForAnyParty: {} }],
      ['all', { actAs: [party, other] }, undefined, mayNot('all', `CanActAs ${other}`)],
      ['two', { actAs: [other, party], readAs: [party] }, filtersFor([party, other])],
      ['two', { readAs: ['stranger'] }, undefined, mayNot('two', 'CanReadAs stranger')],
      ['two', { userId: 'both' }, undefined, 'User two may not do this: the request is for the user both'],
    ]
    for (const [index, [user, fields, eventFormat, cause]] of rows.entries()) {
      const body = {
        commands: { commands: [walletOf(party)], commandId: `c${index}`, actAs: [party], ...fields },
        ...(eventFormat && { transactionFormat: transactionFormat(eventFormat) }),
      }
      const token = await node.token(user)
      const answer = await node.call('POST', '/v2/commands/submit-and-wait-for-transaction', { token, body })
      if (cause === undefined) assert.equal(answer.status, 200, `row ${index}: ${answer.text}`)
      else assert.deepEqual(refusalOf(answer), [403, 'NA', cause])
    }
  })

  test('of the user of a token supply the user id, which is required without a token', async () => {
    const completionsOf = async (node: TestNode, token: string | null, body: object) =>
      node.call('POST', '/v2/commands/completions?stream_idle_timeout_ms=50', { token, body })
    const submit = (node: TestNode, token: string | null, party: string, fields: object) =>
      node.call('POST', '/v2/commands/submit-and-wait', {
        token,
        body: { commands: [walletOf(party)], commandId: 'c', actAs: [party], ...fields },
      })
    const users = (answer: Answer) =>
      answer.json.map(({ completionResponse }: Json) => completionResponse.Completion?.value.userId)

    await using ready = await startWithCallers()
    const token = await ready.node.token('actor')
    for (const userId of [undefined, null, '']) {
      const answer = await submit(ready.node, token, ready.party, { userId, commandId: `c${userId}` })
      assert.equal(answer.status, 200, answer.text)
    }
    const filledIn = await completionsOf(ready.node, token, { parties: [ready.party] })
    assert.deepEqual(users(filledIn), ['actor', 'actor', 'actor'])

    await using open = await startTestNode({ settings: { auth: { mode: 'off' } } })
    const party = (await open.call('POST', '/v2/parties', { body: {} })).json.partyDetails.party
    const endOf = async () => (await open.call('GET', '/v2/state/ledger-end')).json.offset
    const end = await endOf()
    const noUser = [
      400,
      'INVALID_TOKEN',
      'The submitted request is missing a user-id: Cannot default user_id field because claims do not specify an ' +
        'user-id. Is authentication turned on?',
    ]
    for (const userId of [undefined, null, '']) {
      assert.deepEqual(refusalOf(await submit(open, null, party, { userId })), noUser)
    }
    assert.deepEqual(refusalOf(await completionsOf(open, null, { parties: [party] })), noUser)
    assert.equal(await endOf(), end)
    assert.equal((await submit(open, null, party, { userId: 'anybody' })).status, 200)
    assert.deepEqual(users(await completionsOf(open, null, { userId: 'anybody', parties: [party] })), ['anybody'])
  })

  test('of an identity provider administrator put what it creates into that identity provider', async () => {
    await using ready = await startWithCallers()
    const { as } = ready
    const users = async (caller: Caller) =>
      (await as(caller, ['GET', '/v2/users'])).json.users.map(({ id }: { id: string }) => id)
    const own = ['acme-admin', 'acme-plain', 'acme-root']
    assert.deepEqual(await users('acme-admin'), own)
    const user = await as('acme-admin', ['POST', '/v2/users', { user: { id: 'acme-new' } }])
    assert.equal(user.json.user.identityProviderId, 'acme')
    assert.deepEqual(await users('acme-admin'), ['acme-admin', 'acme-new', 'acme-plain', 'acme-root'])
    assert.ok(!(await users('idp-admin')).includes('acme-new'))
    const party = await as('acme-admin', ['POST', '/v2/parties', { userId: 'acme-new' }])
    assert.equal(party.json.partyDetails.identityProviderId, 'acme')
    const shown = await as('acme-admin', ['GET', `/v2/parties/${party.json.partyDetails.party}`])
    assert.deepEqual(shown.json, { partyDetails: [party.json.partyDetails] })
    const hidden = await as(admin, ['GET', `/v2/parties/${party.json.partyDetails.party}`])
    assert.equal(hidden.json.partyDetails[0].identityProviderId, '')
  })

  test('of identity provider administrators extend only to their own parties', async () => {
    await using ready = await startWithCallers()
    const { node, party, as } = ready
    const acmeParty = (await as('acme-admin', ['POST', '/v2/parties', {}])).json.partyDetails.party
    await createUser(node, 'acme-target', [], 'acme')
    await createUser(node, 'target')
    const unknown = (identityProviderId: string, ...parties: string[]) => [
      404,
      'UNKNOWN_RESOURCE',
      'The submitted request refers to a non-existing PARTIES: Provided parties have not been found in ' +
        `identity_provider_id=\`${identityProviderId}\`: [${parties.join(',')}].`,
    ]
    const rows: [caller: Caller, identityProviderId: string, rights: object[], want: unknown[] | undefined][] = [
      ['acme-admin', 'acme', [right('CanActAs', acmeParty), right('CanReadAs', acmeParty)], undefined],
      ['acme-admin', 'acme', [right('CanExecuteAs', acmeParty)], undefined],
      ['acme-admin', 'acme', [right('CanExecuteAs', 'x')], unknown('acme', 'x')],
      ['acme-admin', 'acme', [right('CanExecuteAs', party)], unknown('acme', party)],
      ['idp-admin', '', [right('CanExecuteAs', acmeParty)], unknown('', acmeParty)],
      ['acme-admin', 'acme', [right('CanActAs', 'x')], unknown('acme', 'x')],
      ['acme-admin', 'acme', [right('CanReadAs', party)], unknown('acme', party)],
      [
        'acme-admin',
        'acme',
        [right('CanActAs', 'x'), right('CanReadAs', 'y'), right('CanReadAs', 'x'), right('CanActAs', acmeParty)],
        unknown('acme', 'x', 'y'),
      ],
      ['idp-admin', '', [right('CanActAs', party)], undefined],
      ['idp-admin', '', [right('CanActAs', acmeParty)], unknown('', acmeParty)],
      ['idp-admin', 'acme', [right('CanActAs', acmeParty)], undefined],
      ['idp-admin', 'acme', [right('CanActAs', party)], unknown('acme', party)],
      ['acme-root', 'acme', [right('CanActAs', 'x'), right('CanReadAs', party)], undefined],
      [admin, '', [right('CanActAs', 'x'), right('CanReadAs', acmeParty)], undefined],
    ]
    for (const [index, [caller, identityProviderId, rights, want]] of rows.entries()) {
      const userId = identityProviderId === '' ? 'target' : 'acme-target'
      const change = { userId, identityProviderId, rights }
      const answers: Answer[] = [
        await as(caller, ['POST', '/v2/users', { user: { id: `new${index}`, identityProviderId }, rights }]),
        await as(caller, ['POST', `/v2/users/${userId}/rights`, change]),
        await as(caller, ['PATCH', `/v2/users/${userId}/rights`, change]),
      ]
      for (const answer of answers) {
        if (want === undefined) assert.equal(answer.status, 200, `row ${index}: ${answer.text}`)
        else assert.deepEqual(refusalOf(answer), want)
      }
    }
    const unnamed = { userId: 'nobody', rights: [right('CanActAs', 'x'), right('CanReadAs', 'y')] }
    const { json } = await as('acme-admin', ['POST', '/v2/users/nobody/rights', unnamed])
    assert.equal(json.code, 'UNKNOWN_RESOURCE', 'parties come before the user')
    assert.deepEqual(json.resources, [
      ['ErrorResource(PARTIES)', 'x'],
      ['ErrorResource(PARTIES)', 'y'],
    ])
    assert.deepEqual([json.errorCategory, json.grpcCodeValue, json.context.definite_answer], [11, 5, 'false'])
  })

  test('let users allocate parties for themselves, up to a limit', async () => {
    await using ready = await startWithCallers({ settings: { limits: { selfAllocatedPartiesMax: 2 } } })
    const { as } = ready
    const allocate = (caller: Caller, userId: string) => as(caller, ['POST', '/v2/parties', { userId }])
    const mayNot = (caller: string) =>
      `User ${caller} may not do this: the right ParticipantAdmin or IdentityProviderAdmin is missing`
    assert.deepEqual(refusalOf(await allocate('plain', '')), [403, 'NA', mayNot('plain')])
    assert.deepEqual(refusalOf(await allocate('plain', 'reader')), [403, 'NA', mayNot('plain')])
    const answers = await Promise.all(Array.from({ length: 5 }, () => allocate('plain', 'plain')))
    const statuses = answers.map(({ status }) => status).sort((a, b) => a - b)
    assert.deepEqual(statuses, [200, 200, 403, 403, 403])
    const exhausted = [403, 'NA', 'User quota of party allocations exhausted']
    assert.deepEqual(refusalOf(await allocate('plain', 'plain')), exhausted)
    assert.equal((await allocate('reader', 'reader')).status, 200, 'the party it reads as counts')
    assert.deepEqual(refusalOf(await allocate('reader', 'reader')), exhausted)
    assert.equal((await allocate('acme-plain', 'acme-plain')).json.partyDetails.identityProviderId, 'acme')
    for (let index = 0; index < 3; index += 1) {
      assert.equal((await allocate('idp-admin', 'idp-admin')).status, 200, 'administrators have no quota')
    }
  })

  test('do not let a caller take over a party by allocating it again', async () => {
    await using ready = await startWithCallers({ settings: { limits: { selfAllocatedPartiesMax: 2 } } })
    const { as, node } = ready
    const { connectedSynchronizers } = (await node.call('GET', '/v2/state/connected-synchronizers')).json
    const [global, elsewhere] = connectedSynchronizers.map((one: { synchronizerId: string }) => one.synchronizerId)
    const body = { partyIdHint: 'treasury', synchronizerId: global }
    assert.equal((await node.call('POST', '/v2/parties', { body })).status, 200)
    const again = { partyIdHint: 'treasury', synchronizerId: elsewhere, userId: 'plain' }
    assert.equal((await as('plain', ['POST', '/v2/parties', again])).status, 400)
    assert.deepEqual((await as('plain', ['GET', '/v2/users/plain/rights'])).json.rights, [])
    assert.equal((await node.call('POST', '/v2/parties', { body: { ...again, userId: '' } })).status, 200)
  })

  test('do not let a caller take over a party by allocating it as an external one', async () => {
    await using ready = await startWithCallers({ settings: { limits: { selfAllocatedPartiesMax: 2 } } })
    const { as, node } = ready
    const { connectedSynchronizers } = (await node.call('GET', '/v2/state/connected-synchronizers')).json
    const [global, elsewhere] = connectedSynchronizers.map((one: { synchronizerId: string }) => one.synchronizerId)
    const allocated = await node.call('POST', '/v2/parties', {
      body: { partyIdHint: 'treasury', synchronizerId: global },
    })
    const { party } = allocated.json.partyDetails
    const signer = createSigner()
    // Nobody but the participant signs for the namespace of such a party, and it signs for everybody.
    const bytes = (await createOnboardingClient(node)).hosting({ party, keys: [{ signer, usages: [usage.protocol] }] })
    const signatures = [signer.sign(transactionHash(bytes))]
    const onboardingTransactions = [{ transaction: base64(bytes), signatures }]
    const body = { synchronizer: elsewhere, onboardingTransactions, userId: 'plain' }
    const answer = await as('plain', ['POST', allocatePath, body])
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.json.cause, /already exists on synchronizer/)
    assert.deepEqual((await as('plain', ['GET', '/v2/users/plain/rights'])).json.rights, [])
    assert.equal((await node.call('POST', allocatePath, { body: { ...body, userId: '' } })).status, 200)
  })

  test('take effect with the next request', async () => {
    await using ready = await startWithCallers()
    const { node, issuer, party } = ready
    const token = await node.token('plain')
    const usersAs = async (bearer: string) => (await node.call('GET', '/v2/users', { token: bearer })).status
    const partyAs = async () => (await node.call('GET', `/v2/parties/${party}`, { token })).status
    const setDeactivated = (isDeactivated: boolean) =>
      node.call('PATCH', '/v2/users/plain', {
        body: { user: { id: 'plain', isDeactivated }, updateMask: { paths: ['is_deactivated'] } },
      })
    const move = (source: string, target: string) =>
      node.call('PATCH', '/v2/users/plain/identity-provider-id', {
        body: { userId: 'plain', sourceIdentityProviderId: source, targetIdentityProviderId: target },
      })
    const acmeToken = await tokenOf(issuer, node, 'plain')
    const administrator = [right('IdentityProviderAdmin')]
    const steps: [change: () => Promise<unknown>, seen: () => Promise<number>, want: number][] = [
      [async () => undefined, () => usersAs(token), 403],
      [() => changeRights(node, 'POST', 'plain', administrator), () => usersAs(token), 200],
      [() => changeRights(node, 'PATCH', 'plain', administrator), () => usersAs(token), 403],
      [() => changeRights(node, 'POST', 'plain', [right('CanReadAs', party)]), partyAs, 200],
      [() => changeRights(node, 'PATCH', 'plain', [right('CanReadAs', party)]), partyAs, 403],
      [() => changeRights(node, 'POST', 'plain', administrator), () => usersAs(token), 200],
      [() => setDeactivated(true), () => usersAs(token), 403],
      [() => setDeactivated(false), () => usersAs(token), 200],
      [async () => undefined, () => usersAs(acmeToken), 403],
      [() => move('', 'acme'), () => usersAs(token), 403],
      [async () => undefined, () => usersAs(acmeToken), 200],
      [() => move('acme', ''), () => usersAs(token), 200],
      [() => node.call('DELETE', '/v2/users/plain'), () => usersAs(token), 403],
      [() => createUser(node, 'plain'), () => usersAs(token), 403],
      [() => changeRights(node, 'POST', 'plain', [right('ParticipantAdmin')]), () => usersAs(token), 200],
    ]
    for (const [index, [change, seen, want]] of steps.entries()) {
      await change()
      assert.equal(await seen(), want, `step ${index}`)
    }
  })

  test('if missing, are named on a development node', async () => {
    await using ready = await startWithCallers()
    const { node, issuer, party, as } = ready
    const mayNot = (caller: string, reason: string) => `User ${caller} may not do this: ${reason}`
    const administrator = 'the right ParticipantAdmin or IdentityProviderAdmin is missing'
    const participantAdmin = 'the right ParticipantAdmin is missing'
    const otherProvider = (id: string) =>
      `identity_provider_id from the request \`${id}\` does not match the one provided in the authorization claims`
    const wide = { userId: 'plain', rights: [right('CanReadAsAnyParty')] }
    const rows: [caller: Caller, call: Call, cause: string][] = [
      ['plain', ['GET', '/v2/users'], mayNot('plain', administrator)],
      ['reader', ['GET', '/v2/users/plain/rights'], mayNot('reader', administrator)],
      ['idp-admin', ['GET', '/v2/idps'], mayNot('idp-admin', participantAdmin)],
      ['idp-admin', ['POST', '/v2/users/plain/rights', wide], mayNot('idp-admin', participantAdmin)],
      [
        'plain',
        ['GET', `/v2/parties/${party}`],
        mayNot('plain', `a right to act, read or execute as ${party} is missing`),
      ],
      [
        'actor',
        ['GET', `/v2/parties/${party}?parties=x`],
        mayNot('actor', 'a right to act, read or execute as x is missing'),
      ],
      [
        'reader',
        ['POST', '/v2/commands/async/submit', { commands: [walletOf(party)], commandId: 'c', actAs: [party] }],
        mayNot('reader', `the right CanActAs ${party} is missing`),
      ],
      [
        'executor',
        ['POST', '/v2/state/active-contracts-page', { eventFormat: filtersFor([party]) }],
        mayNot('executor', `the right CanReadAs ${party} is missing`),
      ],
      [
        'reader',
        ['POST', '/v2/contracts/contract-by-id', { contractId: '00' }],
        mayNot('reader', 'the right CanReadAsAnyParty is missing'),
      ],
      [
        'reader',
        ['POST', '/v2/commands/completions', { userId: 'actor', parties: [party] }],
        mayNot('reader', 'the request is for the user actor'),
      ],
      ['reader', ['POST', '/v2/pruning', { pruneUpTo: 1 }], mayNot('reader', participantAdmin)],
      ['acme-admin', ['GET', '/v2/parties?identity-provider-id=other'], otherProvider('other')],
      ['acme-plain', ['GET', '/v2/authenticated-user?identity-provider-id=other'], otherProvider('other')],
      ['acme-root', ['GET', '/v2/users'], otherProvider('')],
      [
        'acme-admin',
        ['GET', '/v2/users/plain'],
        'getting user failed: User plain belongs to another Identity Provider',
      ],
      [
        'plain',
        ['GET', '/v2/users/plain?identity-provider-id=acme'],
        'getting user failed: User plain belongs to another Identity Provider',
      ],
    ]
    for (const [caller, call, cause] of rows) {
      const { status, json } = await as(caller, call)
      assert.deepEqual([status, json.code, json.cause, json.context], [403, 'NA', cause, {}])
      assert.deepEqual([json.errorCategory, json.grpcCodeValue, json.resources], [-1, 7, []])
    }

    await createUser(node, 'sleeper')
    await node.call('PATCH', '/v2/users/sleeper', {
      body: { user: { id: 'sleeper', isDeactivated: true }, updateMask: { paths: ['is_deactivated'] } },
    })
    const strangers: [token: string, reason: string][] = [
      [await node.token('ghost'), 'the user ghost does not exist'],
      [await node.token('sleeper'), 'the user sleeper is deactivated'],
      [await node.token('acme-plain'), 'the user acme-plain belongs to another identity provider than the token'],
      [await tokenOf(issuer, node, 'plain'), 'the user plain belongs to another identity provider than the token'],
    ]
    for (const [token, reason] of strangers) {
      const { status, json } = await node.call('GET', '/v2/parties/participant-id', { token })
      assert.deepEqual([status, json.cause], [403, `Could not resolve the token's user: ${reason}`])
      assert.deepEqual(json.context, { ledger_api_error: 'invalid token' })
    }
  })

  test('if missing, are not named on any other node', async () => {
    const secret = 'a secret of thirty-two characters'
    const settings = { development: false, auth: { keys: [{ type: 'hs256', secret } as const] } }
    await using node = await startTestNode({ settings })
    const tokenFor = (sub: string) =>
      signWith(
        new TextEncoder().encode(secret),
        { alg: 'HS256' },
        { sub, scope: 'daml_ledger_api', exp: Math.floor(Date.now() / 1000) + 240 },
      )
    const token = await tokenFor('participant_admin')
    await node.call('POST', '/v2/users', { token, body: { user: { id: 'plain' } } })
    const party = (await node.call('POST', '/v2/parties', { token, body: {} })).json.partyDetails.party
    const traceId = '0af7651916cd43dd8448eb211c80319c'
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` }
    const redacted = {
      code: 'NA',
      cause: 'A security-sensitive error has been received',
      correlationId: traceId,
      traceId,
      context: {},
      resources: [],
      errorCategory: -1,
      grpcCodeValue: 7,
      retryInfo: null,
      definiteAnswer: null,
    }
    const invalidUser = { ...redacted, context: { ledger_api_error: 'invalid token' } }
    const rows: [bearer: string | null, path: string, status: number, want: object][] = [
      [await tokenFor('plain'), '/v2/users', 403, redacted],
      [await tokenFor('plain'), `/v2/parties/${party}`, 403, redacted],
      [token, '/v2/users/plain?identity-provider-id=acme', 403, redacted],
      [await tokenFor('ghost'), '/v2/users', 403, invalidUser],
      [null, '/v2/users', 401, { ...redacted, grpcCodeValue: 16 }],
      ['not a token', '/v2/users', 401, { ...redacted, grpcCodeValue: 16 }],
    ]
    for (const [bearer, path, status, want] of rows) {
      const answer = await node.call('GET', path, { token: bearer, headers })
      assert.deepEqual([answer.status, answer.json], [status, want])
    }
  })

  test('are checked before the content of the request', async () => {
    await using ready = await startWithCallers()
    const { as } = ready
    const badProvider =
      'The submitted token has a field with invalid value: Invalid field identity_provider_id: ' +
      'non expected character 0x25 in Daml-LF Ledger String "a%b"'
    const rows: [caller: Caller, call: Call, ...want: unknown[]][] = [
      ['plain', ['POST', '/v2/users', {}], 403, 'NA'],
      [admin, ['POST', '/v2/users', {}], 400, 'MISSING_FIELD', missing('user')],
      ['plain', ['GET', '/v2/users?pageSize=-1'], 403, 'NA'],
      ['plain', ['GET', '/v2/parties?identity-provider-id=a%25b'], 403, 'NA'],
      [admin, ['GET', '/v2/parties?identity-provider-id=a%25b'], 400, 'INVALID_TOKEN', badProvider],
      ['idp-admin', ['GET', '/v2/parties?identity-provider-id=a%25b'], 400, 'INVALID_TOKEN', badProvider],
      ['acme-admin', ['GET', '/v2/parties?identity-provider-id=a%25b'], 400, 'INVALID_TOKEN', badProvider],
      ['acme-admin', ['GET', '/v2/parties?identity-provider-id=nowhere'], 403, 'NA'],
      ['idp-admin', ['GET', '/v2/parties?identity-provider-id=nowhere'], 200, undefined],
      [
        'idp-admin',
        ['POST', '/v2/users', { user: { id: 'new' }, rights: [{}] }],
        400,
        'INVALID_ARGUMENT',
        invalid('unknown kind of right - check that the Ledger API version of the server is recent enough'),
      ],
      ['idp-admin', ['POST', '/v2/users', { user: {}, rights: [{}, right('ParticipantAdmin')] }], 403, 'NA'],
      ['plain', ['POST', '/v2/pruning', { pruneUpTo: -1 }], 403, 'NA'],
      ['plain', ['POST', '/v2/state/active-contracts-page', {}], 400, 'MISSING_FIELD', missing('event_format')],
      ['plain', ['POST', '/v2/updates/update-by-id', { updateId: 'x' }], 400, 'INVALID_ARGUMENT'],
      ['plain', ['POST', '/v2/updates/update-by-id', { updateFormat: updateFormat(filtersFor(['x'])) }], 403, 'NA'],
      ['plain', ['POST', '/v2/updates/transaction-by-id', { requestingParties: ['%'] }], 403, 'NA'],
      // Reported before the token is checked: undecodable requests, and missing parties.
      ['plain', ['POST', '/v2/updates', {}], 400, 'INVALID_ARGUMENT'],
      ['plain', ['POST', '/v2/updates/transaction-by-id', {}], 400, 'INVALID_ARGUMENT'],
      [
        'plain',
        ['POST', '/v2/commands/async/submit', { commands: [], commandId: '', actAs: [] }],
        400,
        'MISSING_FIELD',
        missing('act_as/actAs'),
      ],
      ['plain', ['POST', '/v2/commands/async/submit', { commands: [], commandId: '', actAs: ['x'] }], 403, 'NA'],
    ]
    for (const [caller, call, ...want] of rows) {
      assert.deepEqual(refusalOf(await as(caller, call)).slice(0, want.length), want)
    }
  })

  test('of an identity provider administrator make a missing user one without an id', async () => {
    await using ready = await startWithCallers()
    for (const caller of ['idp-admin', 'acme-admin'] as const) {
      const answer = await ready.as(caller, ['POST', '/v2/users', {}])
      assert.deepEqual(refusalOf(answer), [400, 'MISSING_FIELD', missing('id')])
    }
  })

  test('without tokens are all rights, without a user', async () => {
    await using node = await startTestNode({ settings: { auth: { mode: 'off' } } })
    assert.deepEqual(refusalOf(await node.call('GET', '/v2/authenticated-user')), [
      400,
      'INVALID_TOKEN',
      'The submitted request is missing a user-id: requests with an empty user-id are only supported if there is ' +
        'an authenticated user',
    ])
    const calls: Call[] = [
      ['GET', '/v2/users'],
      ['GET', '/v2/users/participant_admin'],
      ['GET', '/v2/idps'],
      ['GET', '/v2/parties/x?parties=y'],
      ['GET', '/v2/parties?identity-provider-id=nowhere'],
      ['POST', '/v2/parties', { userId: 'participant_admin' }],
      ['POST', '/v2/users', { user: { id: 'alice' }, rights: [right('ParticipantAdmin'), right('CanActAs', 'x')] }],
      ['DELETE', '/v2/users/participant_admin'], // It is not the caller's own user.
    ]
    for (const [method, path, body] of calls) {
      assert.equal((await node.call(method, path, { body })).status, 200, `${method} ${path}`)
      assert.equal((await node.call('GET', '/v2/users', { token: 'not a token' })).status, 200)
    }
  })
})
