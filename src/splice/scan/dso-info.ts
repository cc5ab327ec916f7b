// Reads of the DSO that scan and its proxy in each validator share. Mirrors Splice's HttpScanHandler.

import { roundOf } from '../ledger/dso-reads.ts'
import type { Contract } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { operatorUser } from '../profile/participants.ts'
import { contractJson, contractWithState } from '../serving/contract-json.ts'
import { notFound, type RouteContext } from '../serving/route.ts'

export async function dsoInfo({ network, dso }: RouteContext): Promise<object> {
  const rules = await founded(dso.only(templates.dsoRules))
  const rounds = (await dso.all(templates.openMiningRound)).toSorted((one, other) => roundOf(other) - roundOf(one))
  return {
    sv_user: operatorUser,
    sv_party_id: network.sv.party,
    dso_party_id: network.dso,
    voting_threshold: 1,
    latest_mining_round: contractWithState(rounds[0]!),
    amulet_rules: contractWithState(await founded(dso.only(templates.amuletRules))),
    dso_rules: contractWithState(rules),
    sv_node_states: (await dso.all(templates.svNodeState)).map(contractWithState),
    initial_round: '0',
  }
}

export async function founded(contract: Promise<Contract | undefined>): Promise<Contract> {
  const found = await contract
  if (found === undefined) throw notFound('The DSO is not founded: this network has participants alone')
  return found
}

export async function featuredAppRight({ dso }: RouteContext, provider: string): Promise<object> {
  const found = (await dso.all(templates.featuredAppRight)).find(({ payload }) => payload.provider === provider)
  return found === undefined ? {} : { featured_app_right: contractJson(found) }
}

export async function preapprovalByParty({ dso }: RouteContext, party: string): Promise<object> {
  const found = (await dso.all(templates.transferPreapproval)).find(({ payload }) => payload.receiver === party)
  if (found === undefined) throw notFound(`No TransferPreapproval found for party: ${party}`)
  return { transfer_preapproval: contractWithState(found) }
}

/** Open first, each list by number. */
export async function roundsOf({ dso }: RouteContext): Promise<readonly [open: Contract[], issuing: Contract[]]> {
  const sorted = async (template: string) =>
    (await dso.all(template)).toSorted((one, other) => roundOf(one) - roundOf(other))
  return [await sorted(templates.openMiningRound), await sorted(templates.issuingMiningRound)]
}
