// GET and POST /api/validator/v0/scan-proxy: what scan tells, through the validator, for users with a token.

import { templates } from '../ledger/templates.ts'
import { registryRoutes } from '../registry/registry-routes.ts'
import { ansEntryBy, listAnsEntries } from '../scan/ans-entries.ts'
import { dsoInfo, featuredAppRight, founded, preapprovalByParty, roundsOf } from '../scan/dso-info.ts'
import { holdingsSummary, holdingsSummaryV1 } from '../scan/holdings.ts'
import { transferCommandCounter, transferCommandStatus } from '../scan/transfer-commands.ts'
import { contractJson, contractWithState } from '../serving/contract-json.ts'
import { notFound, type Route, type RouteContext } from '../serving/route.ts'

type ProxyRoute = Route<RouteContext>

const base = '/api/validator/v0/scan-proxy'

const proxy = (method: ProxyRoute['method'], path: string, answer: ProxyRoute['answer']): ProxyRoute => ({
  method,
  path: `${base}/${path}`,
  access: 'user',
  answer,
})

export const scanProxyRoutes: readonly ProxyRoute[] = [
  ...registryRoutes.map((route): ProxyRoute => ({ ...route, path: `${base}${route.path}`, access: 'user' })),
  proxy('GET', 'dso-party-id', async ({ network }) => ({ dso_party_id: network.dso })),
  proxy('GET', 'dso', (context) => dsoInfo(context)),
  proxy('GET', 'amulet-rules', async ({ dso }) => ({
    amulet_rules: contractWithState(await founded(dso.only(templates.amuletRules))),
  })),
  proxy('GET', 'open-and-issuing-mining-rounds', async (context) => {
    const [open, issuing] = await roundsOf(context)
    return { open_mining_rounds: open.map(contractWithState), issuing_mining_rounds: issuing.map(contractWithState) }
  }),
  proxy('GET', 'featured-apps/{provider}', (context, { params }) => featuredAppRight(context, params.provider!)),
  proxy('GET', 'transfer-preapprovals/by-party/{party}', (context, { params }) =>
    preapprovalByParty(context, params.party!),
  ),
  proxy('GET', 'transfer-command-counter/{party}', (context, { params }) =>
    transferCommandCounter(context, params.party!),
  ),
  proxy('GET', 'transfer-command/status', (context, { query }) => transferCommandStatus(context, query)),
  proxy('GET', 'ans-entries', (context, { query }) => listAnsEntries(context, query)),
  proxy('GET', 'ans-entries/by-party/{party}', async (context, { params }) => {
    const found = await ansEntryBy(context, 'user', params.party!)
    if (found === undefined) throw notFound(`Party ${params.party} does not have any ANSEntry.`)
    return found
  }),
  proxy('GET', 'ans-entries/by-name/{name}', async (context, { params }) => {
    const found = await ansEntryBy(context, 'name', params.name!)
    if (found === undefined) throw notFound(`Did not find a AnsEntry with name ${params.name}`)
    return found
  }),
  proxy('POST', 'holdings/summary', (context, { body }) => holdingsSummary(context, body)),
  {
    ...proxy('POST', 'holdings/summary', (context, { body }) => holdingsSummaryV1(context, body)),
    path: '/api/validator/v1/scan-proxy/holdings/summary',
  },
  proxy('POST', 'ans-rules', async ({ dso }) => {
    const rules = await founded(dso.only(templates.ansRules))
    return { ans_rules_update: { contract: contractJson(rules), domain_id: rules.synchronizerId } }
  }),
]
