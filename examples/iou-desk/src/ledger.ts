// The ledger as this application uses it: a few operations of the JSON Ledger API v2, with the types of the package.
import { randomUUID } from 'node:crypto'
import type { Argument, ChoiceName, ContractId, Created, Payload, Result, Template } from './generated/daml.js'
import { type Patience, Refused, withRetries } from './retries.ts'

// biome-ignore lint/suspicious/noExplicitAny: whatever a template describes.
type AnyTemplate = Template<any>
// biome-ignore lint/suspicious/noExplicitAny: answers of all operations pass through here.
type Json = any

export type LedgerOptions = { readonly url: string; readonly token: string; readonly patience?: Patience }

export type Ledger = ReturnType<typeof connect>

export function connect({ url, token, patience = { tries: 5, pauseMs: 50 } }: LedgerOptions) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

  async function ask(path: string, body?: object): Promise<Json> {
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(`${url}${path}`, { ...init, headers })
    const answer: Json = await response.json()
    if (!response.ok) throw new Refused(answer)
    return answer
  }

  /** The transaction of a command, with all its events. */
  function submit(party: string, command: object): Promise<Json> {
    const commandId = randomUUID()
    const eventFormat = { filtersByParty: { [party]: {} } }
    const transactionFormat = { eventFormat, transactionShape: 'TRANSACTION_SHAPE_LEDGER_EFFECTS' }
    return withRetries(async () => {
      try {
        const commands = { commandId, actAs: [party], commands: [command] }
        const path = '/v2/commands/submit-and-wait-for-transaction'
        return (await ask(path, { commands, transactionFormat })).transaction
      } catch (error) {
        if (!(error instanceof Refused) || error.code !== 'DUPLICATE_COMMAND') throw error
        // An earlier try was recorded, and its answer lost.
        const offset = Number(error.context.completion_offset)
        const updateFormat = { includeTransactions: transactionFormat }
        return (await ask('/v2/updates/update-by-offset', { offset, updateFormat })).update.Transaction.value
      }
    }, patience)
  }

  return {
    async create<T extends AnyTemplate>(
      party: string,
      template: T,
      createArguments: Payload<T>,
    ): Promise<ContractId<Payload<T>>> {
      const { events } = await submit(party, { CreateCommand: { templateId: template.templateId, createArguments } })
      return events[0].CreatedEvent.contractId
    },

    async exercise<T extends AnyTemplate, C extends ChoiceName<T>>(
      party: string,
      template: T,
      contractId: ContractId<Payload<T>>,
      choice: C,
      choiceArgument: Argument<T, C>,
    ): Promise<Result<T, C>> {
      const command = { templateId: template.templateId, contractId, choice, choiceArgument }
      const { events } = await submit(party, { ExerciseCommand: command })
      return events[0].ExercisedEvent.exerciseResult
    },

    /** The active contracts of a template that a party sees. */
    async contracts<T extends AnyTemplate>(
      party: string,
      template: T,
    ): Promise<(Created<T> & { readonly createdAt: string })[]> {
      const { offset: activeAtOffset } = await ask('/v2/state/ledger-end')
      const value = { templateId: template.templateId, includeCreatedEventBlob: false }
      const filters = { cumulative: [{ identifierFilter: { TemplateFilter: { value } } }] }
      const eventFormat = { filtersByParty: { [party]: filters } }
      const found: Json[] = await ask('/v2/state/active-contracts', { activeAtOffset, eventFormat })
      return found.flatMap(({ contractEntry }) => contractEntry.JsActiveContract?.createdEvent ?? [])
    },

    /** The ledger time, in milliseconds; it need not be that of this computer. */
    async nowMs(): Promise<number> {
      return Date.parse((await ask('/v2/time')).currentTime)
    },
  }
}
