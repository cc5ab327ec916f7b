// What has become of the commands that external parties signed to send Amulet: how many were executed, and each of the last day.
import { transactionsBackwards } from '../ledger/backward-updates.ts'
import { entityOf } from '../ledger/event-tree.ts'
import type { Json } from '../ledger/participant.ts'
import { templates } from '../ledger/templates.ts'
import { contractWithState } from '../serving/contract-json.ts'
import { badRequest, notFound, type RouteContext } from '../serving/route.ts'

export async function transferCommandCounter({ dso }: RouteContext, party: string): Promise<object> {
  const counters = await dso.all(templates.transferCommandCounter)
  const found = counters.find(({ payload }) => payload.sender === party)
  if (found === undefined) throw notFound(`No TransferCommandCounter found for party: ${party}, use 0 for the nonce`)
  return { transfer_command_counter: contractWithState(found) }
}

/** So far back is looked, and over so many transactions. Anybody may ask. */
const agesMaxMs = 86_400_000
const transactionsMax = 1000
const pageSize = 100

/** All commands of a sender with a nonce, by contract id. */
export async function transferCommandStatus(context: RouteContext, query: URLSearchParams): Promise<object> {
  const [sender, nonce] = [query.get('sender'), query.get('nonce')]
  if (sender === null || nonce === null) throw notFound('Request is missing required query parameter')
  if (!/^\d+$/.test(nonce)) throw badRequest(`The query parameter 'nonce' was malformed:\n'${nonce}' is not a number`)
  const { network, now } = context
  const firstMs = (await now()) - agesMaxMs
  const wanted = { party: network.dso, templates: [templates.transferCommand], pageSize }
  const transactions: Json[] = []
  for await (const transaction of transactionsBackwards(network.sv.participant, wanted)) {
    if (Date.parse(transaction.recordTime) < firstMs || transactions.length === transactionsMax) break
    transactions.push(transaction)
  }
  const found = commandsIn(transactions, sender, nonce)
  if (found.size > 0) return { transfer_commands_by_contract_id: Object.fromEntries(found) }
  throw notFound(`Couldn't find transfer command for sender ${sender} with nonce ${nonce} created in the last 24h`)
}

/** From transactions, the newest first: each command with its last status. */
export function commandsIn(transactions: readonly Json[], sender: string, nonce: string): Map<string, object> {
  const statuses = new Map<string, object>()
  const commands = new Map<string, object>()
  for (const { events } of transactions) {
    for (const { CreatedEvent: created, ExercisedEvent: exercised } of events) {
      if (exercised !== undefined && !statuses.has(exercised.contractId)) {
        const status = statusOf(exercised)
        if (status !== undefined) statuses.set(exercised.contractId, status)
      }
      if (created === undefined || entityOf(created.templateId) !== entityOf(templates.transferCommand)) continue
      const { contractId, createArgument: payload } = created
      if (payload.sender !== sender || payload.nonce !== nonce) continue
      commands.set(contractId, { contract: commandJson(created), status: statuses.get(contractId) ?? waiting })
    }
  }
  return commands
}

const waiting = { status: 'created' }
const failed = (failure_kind: string, reason: string) => ({ status: 'failed', failure_kind, reason })

function statusOf({ choice, exerciseResult }: Json): object | undefined {
  if (choice === 'TransferCommand_Withdraw') {
    return failed('withdrawn', 'The TransferCommand has been withdrawn by the sender')
  }
  if (choice === 'TransferCommand_Expire') return failed('expired', 'The TransferCommand has expired')
  if (choice !== 'TransferCommand_Send') return undefined
  const { tag, value } = exerciseResult.result
  return tag === 'TransferCommandResultSuccess' ? { status: 'sent' } : failed('failed', JSON.stringify(value.reason))
}

function commandJson({ templateId, contractId, createArgument, createdEventBlob = '', createdAt }: Json): object {
  return {
    template_id: templateId,
    contract_id: contractId,
    payload: createArgument,
    created_event_blob: createdEventBlob,
    created_at: createdAt,
  }
}
