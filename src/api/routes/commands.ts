// /v2/commands: submissions and completions. Mirrors Canton's JsCommandService.
import type { Static } from 'typebox'
import type { Subject } from '../../auth/authorization.ts'
import { LedgerError } from '../../base/errors.ts'
import type { TransactionForm } from '../../events/json/transaction-json.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { OnAccount } from '../../ledger/reading/reader.ts'
import type { TransactionFormat } from '../../ledger/reading/requests/queries.ts'
import { RenderedJson, type Route, route } from '../route.ts'
import { streamRoute } from '../stream-route.ts'
import * as wire from '../wire/commands.ts'
import { formatForParties, readersOf, transactionFormatFromJson } from '../wire/formats.ts'

const tag = 'Commands'

type CommandsJson = Static<typeof wire.commandsRequest>

export const commandRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v2/commands/async/submit',
    tag,
    summary: 'Submit commands without waiting; a completion reports their outcome',
    body: wire.commandsRequest,
    response: wire.submitResponse,
    early: ({ body }) => wire.checkActAs(body),
    subject: ({ body }) => submitterOf(body),
    async call(ledger, { body }, { userId }, context) {
      await ledger.submissions.submit(wire.commandsFromJson(body, userId), context)
      return {}
    },
  }),

  route({
    method: 'POST',
    path: '/v2/commands/submit-and-wait',
    tag,
    summary: 'Submit commands and wait for their completion',
    body: wire.commandsRequest,
    response: wire.submitAndWaitResponse,
    early: ({ body }) => wire.checkActAs(body),
    subject: ({ body }) => submitterOf(body),
    async call(ledger, { body }, { userId }, context) {
      const done = await ledger.submissions.submitAndWait(wire.commandsFromJson(body, userId), context)
      return new RenderedJson(
        `{"updateId":${JSON.stringify(done.updateId)},"completionOffset":${done.completionOffset}}`,
      )
    },
  }),

  route({
    method: 'POST',
    path: '/v2/commands/submit-and-wait-for-transaction',
    tag,
    summary: 'Submit commands and get the resulting transaction',
    body: wire.submitForTransactionRequest,
    response: wire.submitForTransactionResponse,
    early: ({ body }) => wire.checkActAs(body.commands),
    subject({ body }) {
      const { readAs = [], ...submitter } = submitterOf(body.commands)
      const readers = readersOf(body.transactionFormat && transactionFormatFromJson(body.transactionFormat).eventFormat)
      return { ...submitter, ...readers, readAs: [...readAs, ...readers.readAs!] }
    },
    async call(ledger, { body }, { userId }, context) {
      const given = body.transactionFormat && transactionFormatFromJson(body.transactionFormat)
      const { actAs, readAs } = body.commands
      const format = given ?? formatForParties([...actAs, ...readAs], 'TRANSACTION_SHAPE_ACS_DELTA')
      const commands = wire.commandsFromJson(body.commands, userId)
      const { traceContext, signal } = context
      const checks = given && { answer: ledger.updates.checksOf(given) }
      const { completionOffset } = await ledger.submissions.submitAndWait(commands, { traceContext, signal, ...checks })
      const transaction = await transactionOrItsHead(ledger, completionOffset, { format, form: 'transaction' }, context)
      return new RenderedJson(`{"transaction":${transaction}}`)
    },
  }),

  route({
    method: 'POST',
    path: '/v2/commands/submit-and-wait-for-transaction-tree',
    tag,
    summary: 'Submit commands and get the resulting transaction tree; for older clients',
    body: wire.commandsRequest,
    response: wire.submitForTreeResponse,
    early: ({ body }) => wire.checkActAs(body),
    subject: ({ body }) => submitterOf(body),
    async call(ledger, { body }, { userId }, context) {
      const format = formatForParties(body.actAs, 'TRANSACTION_SHAPE_LEDGER_EFFECTS')
      const commands = wire.commandsFromJson(body, userId)
      const { completionOffset } = await ledger.submissions.submitAndWait(commands, context)
      const tree = await transactionOrItsHead(ledger, completionOffset, { format, form: 'tree' }, context)
      return new RenderedJson(`{"transactionTree":${tree}}`)
    },
  }),

  streamRoute({
    path: '/v2/commands/completions',
    tag,
    summary: 'List the completions of a user',
    body: wire.completionsRequest,
    response: wire.completionsResponse,
    subject: ({ userId, parties }) => ({ userId, readAs: parties }),
    stream({ completions }, body, { userId }) {
      return { open: (signal, hints) => completions.stream({ ...body, userId }, signal, hints) }
    },
  }),

  streamRoute({
    path: '/v2/commands/command-completions',
    tag,
    summary: 'List the completions of all users',
    body: wire.commandCompletionsRequest,
    response: wire.completionsResponse,
    subject: ({ parties }) => ({ readAs: parties, readsAsAnyParty: parties.length === 0 }),
    stream({ completions }, body) {
      return {
        open: (signal, hints) => completions.stream({ ...body, userId: undefined }, signal, hints),
      }
    },
  }),
]

function submitterOf({ userId = '', actAs, readAs }: CommandsJson): Subject {
  const acting = new Set(actAs)
  return { userId, actAs, readAs: readAs.filter((party) => !acting.has(party)) }
}

/** If the readers see nothing of the transaction, it is answered without events: the command succeeded. */
export async function transactionOrItsHead(
  { updates }: Ledger,
  offset: bigint,
  { format, form }: { readonly format: TransactionFormat; readonly form: TransactionForm },
  asking: OnAccount,
): Promise<string> {
  try {
    return await updates.transactionAt(offset, format, form, asking)
  } catch (error) {
    if (!(error instanceof LedgerError && error.code === 'UPDATE_NOT_FOUND')) throw error
  }
  const whole = JSON.parse(await updates.transactionAt(offset, everything, form, asking))
  return JSON.stringify({ ...whole, ...(form === 'tree' ? { eventsById: {} } : { events: [] }) })
}

const everything: TransactionFormat = {
  eventFormat: { filtersByParty: new Map(), filtersForAnyParty: [] },
  shape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS',
}
