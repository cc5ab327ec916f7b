// Everything that a node may remember of the ledger's rows has a row in src/ledger/model/remembered.ts, which says what change
// by another node drops it. Collections that outlive a request are found by where they are declared: beside the functions
// of a file, or in a function that creates a part of the node.
import assert from 'node:assert/strict'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { remembered } from '../src/ledger/model/remembered.ts'
import { changedBy, kinds, sharedTables } from '../src/store/core/sharing.ts'

const declaration =
  /^( {0,2})(?:export )?(?:const|let) (\w+)(?:: [^=]+)? = (?:new (?:Weak)?(?:Map|Set)\b(?!\((?:Object|\[|\w+\.))|createCache\b)|^( {2})let (loaded|loading|remembered)\b/
const factory = /^(?:export )?(?:async )?function\*? (?:create|open|start|load)\w*/
const anyFunction = /^(?:export )?(?:async )?function/

/** Collections of something else than rows: work under way, connections, constants. By file and variable. */
const others: ReadonlySet<string> = new Set(
  `
    api/calls/deadlines.ts inFlight
    api/calls/held-bytes.ts heldBy
    api/calls/request-metrics.ts operations
    api/pipeline.ts calls
    api/strangers.ts addresses
    api/strangers.ts known
    api/strangers.ts queue
    api/streams/ongoing-authorization.ts watches
    api/streams/open-streams.ts perReader
    api/streams/open-streams.ts streams
    api/wire/walk.ts fieldsKnown
    api/wire/walk.ts variantsKnown
    api/wire/interactive-submission.ts decoded
    auth/claims.ts nobody
    auth/claims.ts remembered
    auth/jwks.ts sets
    auth/signed-out.ts expiries
    events/format/transaction-writing.ts templateNames
    events/protobuf/event-plans.ts loading
    events/protobuf/event-plans.ts missed
    events/protobuf/transaction-protobuf.ts compiled
    grpc/listeners.ts sessions
    grpc/listeners.ts sockets
    grpc/reflection.ts bySymbol
    grpc/reflection.ts descriptors
    grpc/reflection.ts reflectionPaths
    grpc/reflection.ts reflections
    grpc/service.ts handlers
    grpc/service.ts methods
    http/body-reader.ts holdings
    http/body-reader.ts silent
    http/body-reader.ts streaming
    http/cors.ts origins
    http/explorer-files.ts bodies
    http/pipelining.ts conversations
    http/router.ts allMethods
    http/websockets/connections.ts connections
    http/websockets/websockets.ts loading
    ledger/commit/commit.ts noneHeld
    ledger/commit/in-flight.ts keys
    ledger/commit/in-flight.ts submissions
    ledger/development/faults.ts faults
    ledger/development/faults.ts listeners
    ledger/development/rejections.ts noted
    ledger/development/sign-in.ts expiries
    ledger/finding/looking.ts last
    ledger/fork/following.ts knownPackages
    ledger/inspection/command-tracking.ts pending
    ledger/keys/signatures.ts parsedKeys
    ledger/model/ledger-end.ts due
    ledger/model/ledger-end.ts waiting
    ledger/model/remembered.ts refusals
    ledger/model/synchronizers.ts configured
    ledger/model/waiting.ts waiting
    ledger/network/catching-up.ts seenMs
    ledger/network/catching-up.ts timers
    ledger/network/network.ts members
    ledger/network/pending.ts followed
    ledger/network/pending.ts watched
    ledger/packages/package-candidates.ts unvetted
    ledger/reading/json/update-elements.ts noContracts
    ledger/reading/requests/event-matcher.ts rules
    ledger/reassignment/automatic-assignment.ts watched
    ledger/submission/interpretation.ts noPreference
    ledger/topology/authorization.ts decentralized
    ledger/topology/authorization.ts delegations
    ledger/topology/authorization.ts nobody
    ledger/topology/party-keys.ts noKeys
  `
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== ''),
)

function collectionsIn(file: string): string[] {
  const found: string[] = []
  let isInFactory = true
  for (const line of readFileSync(`src/${file}`, 'utf8').split('\n')) {
    if (anyFunction.test(line)) isInFactory = factory.test(line)
    const [, indent, collection, , value] = declaration.exec(line) ?? []
    const name = collection ?? value
    if (name !== undefined && (indent === '' || isInFactory)) found.push(`${file} ${name}`)
  }
  return found
}

const files = globSync('{auth,api,events,grpc,http,ledger}/**/*.ts', { cwd: 'src' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.(test|contract)\.ts$/.test(file))
const collections = files.flatMap(collectionsIn)
const listed = new Set<string>(Object.values(remembered).flatMap(({ where }) => where))

describe('what a node remembers', () => {
  test('has a row in src/ledger/model/remembered.ts', () => {
    assert.deepEqual(
      collections.filter((name) => !listed.has(name) && !others.has(name)),
      [],
      'say in src/ledger/model/remembered.ts what drops it, or here that it holds no rows',
    )
  })

  test('exists if it has a row', () => {
    const there = new Set(collections)
    assert.deepEqual(
      [...listed, ...others].filter((name) => !there.has(name)),
      [],
    )
  })

  test('is of tables that have a kind, or none for a reason', () => {
    const folder = 'src/store/schema/migrations'
    const scripts = readdirSync(folder).map((file) => readFileSync(`${folder}/${file}`, 'utf8'))
    const tables = scripts.flatMap((sql) => [...sql.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name]) => name!))
    assert.deepEqual(
      tables.filter((table) => !sharedTables.has(table)),
      [],
    )
    const dropping = new Set<string>(Object.values(remembered).flatMap(({ droppedBy }) => droppedBy))
    assert.deepEqual(
      kinds.filter((kind) => !dropping.has(kind)),
      [],
    )
  })

  test('is changed by statements that write to its table', () => {
    const cases: [sql: string, changed: string | undefined][] = [
      ['INSERT INTO user_rights (user_id) VALUES ($1)', 'users'],
      ['\n  UPDATE parties SET party = $1', 'parties'],
      ['DELETE FROM vetted_packages WHERE synchronizer = $1', 'packages'],
      ['UPDATE synchronizers SET is_connected = $2', 'synchronizers'],
      ['UPDATE synchronizers SET record_time = $2', 'none'],
      ['INSERT INTO updates VALUES ($1)', 'none'],
      ['SELECT * FROM users', undefined],
    ]
    for (const [sql, changed] of cases) assert.equal(changedBy(sql), changed, sql)
  })
})
