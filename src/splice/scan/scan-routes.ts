// GET and POST /api/scan: what everybody may read of the DSO.
import { roundOf } from '../ledger/dso-reads.ts'
import type { Contract, Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { contractJson } from '../serving/contract-json.ts'
import { badRequest, notFound, type Route, type RouteContext } from '../serving/route.ts'
import { statusRoutes } from '../serving/status-routes.ts'
import { acsSnapshotRoutes } from './acs-snapshots.ts'
import { ansEntryBy, listAnsEntries } from './ans-entries.ts'
import { dsoInfo, featuredAppRight, founded, preapprovalByParty, roundsOf } from './dso-info.ts'
import { holdingsRoutes } from './holdings.ts'
import { transferCommandCounter, transferCommandStatus } from './transfer-commands.ts'
import { updateHistoryRoutes } from './update-history.ts'
import { migrationId } from './update-json.ts'

type ScanRoute = Route<RouteContext>

const scan = (method: ScanRoute['method'], path: string, answer: ScanRoute['answer']): ScanRoute => ({
  method,
  path: `/api/scan/v0/${path}`,
  access: 'anyone',
  answer,
})

/** More than anybody uses: traffic is not enforced here. */
const trafficLimit = 1_000_000_000_000

export const scanRoutes: readonly ScanRoute[] = [
  ...statusRoutes('scan'),
  ...updateHistoryRoutes,
  ...acsSnapshotRoutes,
  ...holdingsRoutes,
  scan('GET', 'dso', (context) => dsoInfo(context)),
  scan('GET', 'dso-party-id', async ({ network }) => ({ dso_party_id: network.dso })),
  scan('GET', 'featured-apps', async ({ dso }) => ({
    featured_apps: (await dso.all(templates.featuredAppRight)).map(contractJson),
  })),
  scan('GET', 'featured-apps/{provider}', (context, { params }) => featuredAppRight(context, params.provider!)),
  scan('GET', 'transfer-preapprovals/by-party/{party}', (context, { params }) =>
    preapprovalByParty(context, params.party!),
  ),
  scan('GET', 'transfer-command-counter/{party}', (context, { params }) =>
    transferCommandCounter(context, params.party!),
  ),
  scan('GET', 'transfer-command/status', (context, { query }) => transferCommandStatus(context, query)),
  scan('GET', 'closed-rounds', async ({ dso }) => ({
    rounds: (await dso.all(templates.closedMiningRound))
      .toSorted((one, other) => roundOf(one) - roundOf(other))
      .map(contractJson),
  })),
  scan('POST', 'amulet-rules', async ({ dso }, { body }) => ({
    amulet_rules_update: unlessCached(
      await founded(dso.only(templates.amuletRules)),
      body.cached_amulet_rules_contract_id,
    ),
  })),
  scan('POST', 'external-party-amulet-rules', async ({ dso }, { body }) => ({
    external_party_amulet_rules_update: unlessCached(
      await founded(dso.only(templates.externalPartyAmuletRules)),
      body.cached_external_party_amulet_rules_contract_id,
    ),
  })),
  scan('POST', 'ans-rules', async ({ dso }, { body }) => ({
    ans_rules_update: unlessCached(await founded(dso.only(templates.ansRules)), body.cached_ans_rules_contract_id),
  })),
  scan('POST', 'open-and-issuing-mining-rounds', async (context, { body }) => {
    const [open, issuing] = await roundsOf(context)
    return {
      time_to_live_in_microseconds: 600_000_000,
      open_mining_rounds: byId(open, body.cached_open_mining_round_contract_ids),
      issuing_mining_rounds: byId(issuing, body.cached_issuing_round_contract_ids),
    }
  }),
  scan('GET', 'admin/validator/licenses', async ({ dso }, { query }) => {
    const limit = Number(query.get('limit') ?? 1000)
    const licences = (await dso.all(templates.validatorLicense)).slice(0, limit)
    return { validator_licenses: licences.map(contractJson) }
  }),
  scan('GET', 'ans-entries', (context, { query }) => listAnsEntries(context, query)),
  scan('GET', 'ans-entries/by-party/{party}', async (context, { params }) => {
    const found = await ansEntryBy(context, 'user', params.party!)
    if (found === undefined) throw notFound(`No ans entry found for party: ${params.party}`)
    return found
  }),
  scan('GET', 'ans-entries/by-name/{name}', async (context, { params }) => {
    const found = await ansEntryBy(context, 'name', params.name!)
    if (found === undefined) throw notFound(`No ans entry found for name: ${params.name}`)
    return found
  }),
  scan('GET', 'amulet-price/votes', async ({ dso }) => ({
    amulet_price_votes: (await dso.all(templates.amuletPriceVote)).map(contractJson),
  })),
  scan('GET', 'scans', async (context) => ({
    scans: [
      {
        domainId: context.network.synchronizerId,
        scans: [{ publicUrl: (await synchronizerNode(context)).scan.publicUrl, svName: 'sv' }],
      },
    ],
  })),
  scan('GET', 'dso-sequencers', async (context) => {
    const { sequencerId: id, url, migrationId, availableAfter } = (await synchronizerNode(context)).sequencer
    const sequencers = [{ migrationId: Number(migrationId), id, url, svName: 'sv', availableAfter }]
    return { domainSequencers: [{ domainId: context.network.synchronizerId, sequencers }] }
  }),
  scan('GET', 'featured-apps/by-provider/{provider}', async ({ dso }, { params }) => ({
    featured_apps: (await dso.all(templates.featuredAppRight))
      .filter(({ payload }) => payload.provider === params.provider)
      .map(contractJson),
  })),
  scan('GET', 'featured-apps/by-contract-id/{contractId}', async ({ dso }, { params }) => {
    const found = await dso.byId(templates.featuredAppRight, params.contractId!)
    return found === undefined ? {} : { featured_app_right: contractJson(found) }
  }),
  scan('GET', 'admin/sv/voterequests', async () => ({ dso_rules_vote_requests: [] })),
  scan('POST', 'admin/sv/voteresults', async () => ({ dso_rules_vote_results: [] })),
  scan('GET', 'migrations/last', async () => ({ migration_id: migrationId })),
  scan('GET', 'migrations/schedule', async () => {
    throw notFound('No migration is scheduled')
  }),
  scan('GET', 'backfilling/status', async () => ({ complete: true })),
  scan('GET', 'feature-support', async () => ({})),
  scan('GET', 'splice-instance-names', async () => ({
    network_name: 'Splice',
    network_favicon_url: 'https://www.hyperledger.org/hubfs/hyperledgerfavicon.png',
    amulet_name: 'Amulet',
    amulet_name_acronym: 'AMT',
    name_service_name: 'Amulet Name Service',
    name_service_name_acronym: 'ANS',
  })),
  scan('GET', 'domains/{synchronizerId}/members/{memberId}/traffic-status', async ({ dso }, { params }) => {
    const { synchronizerId, memberId } = params
    if (!/^(PAR|MED)::[^:]+::[^:]+$/.test(memberId!)) throw badRequest(`Could not decode member ID: ${memberId}`)
    const purchases = (await dso.all(templates.memberTraffic)).filter(
      ({ payload }) => payload.memberId === memberId && payload.synchronizerId === synchronizerId,
    )
    const bought = purchases.reduce((sum, { payload }) => sum + Number(payload.totalPurchased), 0)
    return {
      traffic_status: {
        actual: { total_consumed: 0, total_limit: trafficLimit + bought },
        target: { total_purchased: bought },
      },
    }
  }),
]

/** What the super validator says about its node. */
async function synchronizerNode({ network, dso }: RouteContext): Promise<Json> {
  const { payload } = await founded(dso.only(templates.svNodeState))
  const nodes: [synchronizerId: string, node: Json][] = payload.state.synchronizerNodes
  return nodes.find(([synchronizerId]) => synchronizerId === network.synchronizerId)![1]
}

/** A client that names the contract that it has gets only its synchronizer. */
function unlessCached(contract: Contract, cachedId: string | undefined): object {
  const { contractId, synchronizerId: domain_id } = contract
  return contractId === cachedId ? { domain_id } : { contract: contractJson(contract), domain_id }
}

function byId(rounds: readonly Contract[], cachedIds: readonly string[] = []): object {
  const entries = rounds.map((round) => {
    const isCached = cachedIds.includes(round.contractId)
    return [round.contractId, unlessCached(round, isCached ? round.contractId : undefined)]
  })
  return Object.fromEntries(entries)
}
