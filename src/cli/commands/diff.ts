// tallystick diff: what two ledgers do not have in common, contract by contract. Exits with 0 if they are equal, with 1 if they
// differ, and with 2 if they cannot be compared.
import { resolve } from 'node:path'
import { wallClock } from '../../base/clock.ts'
import { StartError } from '../../base/errors.ts'
import { shownUrl } from '../../base/shown-url.ts'
import type { ComparedContract } from '../../diff/compared-contract.ts'
import type { Matching } from '../../diff/comparison.ts'
import type { ComparedLedger } from '../../diff/contracts-of-ledger.ts'
import { queryLedger } from '../../node/maintenance.ts'
import { type Command, type Surroundings, UsageError } from '../command.ts'
import { loadSettings } from '../config.ts'
import { nodeAt, nodeOf } from '../local-node.ts'
import { withProgress } from '../progress.ts'

type Flags = {
  readonly 'token-a'?: string
  readonly 'token-b'?: string
  readonly party?: readonly string[]
  readonly match?: string
  readonly limit?: string
  readonly json?: boolean
}

const matchings: readonly Matching[] = ['id', 'fields']
const usualLimit = '20'
const limitMax = 100_000

export const diffCommand: Command = {
  summary: 'compare the active contracts of two ledgers',
  usage: 'tallystick diff A B [options]',
  operands: ['A', 'B'],
  options: {
    match: {
      type: 'string',
      value: 'HOW',
      help: 'which contracts are the same: id, for a ledger and its fork, or fields, for any two ledgers (id)',
    },
    party: { type: 'string', multiple: true, value: 'PARTY', help: 'only contracts of this party; may be repeated' },
    limit: { type: 'string', value: 'N', help: 'show so many differences of each template (20); all are counted' },
    'token-a': { type: 'string', value: 'TOKEN', help: 'a token for A; made here for a node of this machine' },
    'token-b': { type: 'string', value: 'TOKEN', help: 'a token for B' },
    json: { type: 'boolean', help: 'print JSON instead of text' },
  },
  notes: `A and B are URLs of the JSON Ledger API, data folders or postgres:// URLs of ledgers. URL#OFFSET is the ledger at an offset.
Ends with 0 if they are equal, with 1 if they differ, and with 2 if they cannot be compared.`,
  async run(flags: Flags, surroundings, [a, b]) {
    const wish = { matching: matchingFrom(flags.match ?? 'id'), differencesMax: limitFrom(flags.limit ?? usualLimit) }
    const { compareContracts } = await import('../../diff/comparison.ts')
    const { renderComparison, reportOf } = await import('../diff-report.ts')
    const compared = withLedger(a!, flags['token-a'], flags, surroundings, (first) =>
      withLedger(b!, flags['token-b'], flags, surroundings, async (second) =>
        reportOf(first, second, await compareContracts(first.contracts, second.contracts, wish)),
      ),
    )
    const report = await withProgress('comparing', surroundings, compared)
    surroundings.print(flags.json ? JSON.stringify(report, null, 2) : renderComparison(report, surroundings.width))
    surroundings.endWith(report.isEqual ? 0 : 1)
  },
}

function matchingFrom(text: string): Matching {
  const found = matchings.find((one) => one === text)
  if (found === undefined) throw new UsageError(`--match is one of ${matchings.join(', ')}`)
  return found
}

function limitFrom(text: string): number {
  if (!/^\d{1,6}$/.test(text) || Number(text) > limitMax) throw new UsageError(`--limit is a number up to ${limitMax}`)
  return Number(text)
}

type Use<T> = (ledger: ComparedLedger) => Promise<T>

/** What cannot be read is no difference. */
async function withLedger<T>(
  written: string,
  token: string | undefined,
  { party }: Flags,
  { environment }: Surroundings,
  use: Use<T>,
): Promise<T> {
  const [, place = written, offset] = /^(.*)#(\d{1,15})$/.exec(written) ?? []
  const parties = party === undefined ? undefined : [...new Set(party)].sort()
  const at = offset === undefined ? undefined : Number(offset)
  try {
    const url = await urlOf(place)
    if (url !== undefined) {
      const { openComparedLedger } = await import('../../diff/contracts-of-ledger.ts')
      return await use(await openComparedLedger(await clientOf(url, place, token, environment), { parties, at }))
    }
    if (at !== undefined) throw new UsageError(`${written}: a ledger has other offsets only while a node serves it`)
    return await withDatabase(place, parties, environment, use)
  } catch (error) {
    throw error instanceof StartError ? new UsageError(error.message) : error
  }
}

/** Undefined for a database that no node of this machine serves. */
async function urlOf(place: string): Promise<string | undefined> {
  if (/^https?:\/\//.test(place)) return place
  return isPostgres(place) ? undefined : (await nodeOf(resolve(place)))?.url
}

const isPostgres = (place: string) => /^postgres(ql)?:\/\//.test(place)

async function clientOf(
  url: string,
  place: string,
  token: string | undefined,
  environment: Surroundings['environment'],
) {
  const { createLedgerClient } = await import('../../ledger-client/ledger-client.ts')
  const where = url === place ? { url } : { data: place }
  const node = () => nodeAt({ ...where, ...(token !== undefined && { token }) }, environment)
  return createLedgerClient(url, async () => (await node()).token, wallClock)
}

const statement = `SELECT contract_id, template, CAST(payload AS TEXT), CAST(contract_key AS TEXT), CAST(signatories AS TEXT),
  CAST(observers AS TEXT) FROM active_contracts`

/** A node may be using it, on another machine. */
function withDatabase<T>(
  place: string,
  parties: readonly string[] | undefined,
  environment: Surroundings['environment'],
  use: Use<T>,
): Promise<T> {
  const settings = loadSettings(isPostgres(place) ? { postgres: place } : { data: place }, environment)
  return queryLedger(settings, { sql: statement, participant: undefined }, ({ rows }) => {
    const contracts = contractsIn(rows as AsyncIterable<readonly (readonly string[])[]>, parties)
    return use({ place: isPostgres(place) ? shownUrl(place) : resolve(place), offset: undefined, contracts })
  })
}

async function* contractsIn(
  batches: AsyncIterable<readonly (readonly string[])[]>,
  parties: readonly string[] | undefined,
): AsyncIterable<ComparedContract> {
  for await (const batch of batches) {
    for (const [contractId, template, payload, key, signing, observing] of batch) {
      const [signatories, observers] = [signing, observing].map((list) => (JSON.parse(list!) as string[]).sort())
      const isWanted = parties?.some((party) => signatories!.includes(party) || observers!.includes(party)) ?? true
      if (!isWanted) continue
      yield {
        contractId: contractId!,
        template: template!,
        createArgument: JSON.parse(payload!),
        contractKey: JSON.parse(key ?? 'null'),
        signatories: signatories!,
        observers: observers!,
      }
    }
  }
}
