// tallystick contract: one contract with its fields, its stakeholders, its history and its choices.
import type { Command } from '../command.ts'
import { type ContractEvents, contractAt, updateAt } from '../contract-events.ts'
import { type EventFormat, eventFormat, type FormatFlags } from '../event-formats.ts'
import { type Event, shownTemplate, shownValue } from '../ledger-rows.ts'
import { contractNamed } from '../named-ids.ts'
import { choicesOf, type NamedChoice, type NamedTemplate, templateNamed } from '../named-templates.ts'
import type { NodeClient } from '../node-client.ts'
import { hintOf, runningNode, type TableFlags, tableOptions, widthFor } from '../running-node.ts'
import { renderRows } from '../transaction-tree.ts'
import { wordsFor } from '../typed-values.ts'

type Flags = TableFlags & Pick<FormatFlags, 'party'>

export const contractCommand: Command = {
  summary: 'show a contract: its fields, stakeholders, history and choices',
  usage: 'tallystick contract CONTRACT [--party PARTY]… [options]',
  operands: ['CONTRACT'],
  options: {
    party: { type: 'string', multiple: true, value: 'PARTY', help: 'as this party sees it, by its id or its hint' },
    ...tableOptions,
  },
  notes: `CONTRACT is its id, or the beginning of it. Its history is its creation and its archival; that of a
contract which came by an assignment from where the participant does not see is empty. With --json, its events as the
node sends them.`,
  async run({ party = [], ...flags }: Flags, surroundings, [written]) {
    const { environment, print, width } = widthFor(flags, surroundings)
    const node = await runningNode(flags, environment)
    const format = await eventFormat({ party }, node)
    const contractId = await contractNamed(written!, node, format)
    const events = await contractAt(contractId, party, node)
    const { created, archivedAt } = events
    if (flags.json) return print(JSON.stringify({ created, archivedAt }, null, 2))
    const template = await templateNamed(shownTemplate(created), node).catch(() => undefined) // Perhaps no longer vetted.
    const parts = [
      renderRows(
        [
          ['contract', contractId],
          ['template', shownTemplate(created)],
          ['signatories', created.signatories.join(', ')],
          ['observers', created.observers.join(', ')],
          ['key', hasKey(created) ? shownValue(created.contractKey) : ''],
          ['state', stateOf(events)],
        ],
        width,
      ),
      section('fields', fieldRows(created.createArgument), width),
      section('history', await historyOf(events, format, node), width),
      section(
        'choices',
        template === undefined ? [] : choicesOf(template).map((one) => choiceRow(one, template)),
        width,
      ),
    ]
    print(parts.filter((part) => part !== '').join('\n\n'))
  },
}

function stateOf({ isActive, archivedAt }: ContractEvents): string {
  if (archivedAt !== undefined) return 'archived'
  if (isActive === undefined) return ''
  return isActive ? 'active' : 'not active here'
}

function section(title: string, rows: readonly (readonly [string, string])[], width: number | undefined): string {
  if (rows.length === 0) return ''
  const inner = renderRows(rows, width === undefined ? undefined : width - 2)
  return `${title}\n${inner.replaceAll(/^/gm, '  ')}`
}

function fieldRows(value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([name, field]) => [name, shownValue(field) || '""'])
}

function hasKey({ contractKey }: ContractEvents['created']): boolean {
  return contractKey !== undefined && contractKey !== null
}

/** `amount: Decimal → Iou_SplitResult` */
function choiceRow({ templateId, choice }: NamedChoice, { types }: NamedTemplate): [string, string] {
  const described = choice.argument.kind === 'Data' ? types.types[choice.argument.id] : undefined
  const fields = described?.kind === 'record' ? described.fields : undefined
  const argument = fields?.map(({ name, type }) => `${name}: ${wordsFor(type)}`).join(', ') ?? wordsFor(choice.argument)
  const of = templateId.startsWith('#') ? '' : ` (of ${templateId.slice(templateId.indexOf(':') + 1)})`
  const result = `→ ${wordsFor(choice.result)}${choice.consuming ? '' : ', keeps it'}${of}`
  return [choice.name, argument === '' ? result : `${argument} ${result}`]
}

async function historyOf({ created, archivedAt, hasEvents }: ContractEvents, format: EventFormat, node: NodeClient) {
  if (!hasEvents) return []
  const rows: [string, string][] = []
  for (const offset of archivedAt === undefined ? [created.offset] : [created.offset, archivedAt]) {
    rows.push([String(offset), await eventAt(offset, created.contractId, format, node)])
  }
  return rows
}

/** What happened to the contract there. */
async function eventAt(offset: number, contractId: string, format: EventFormat, node: NodeClient): Promise<string> {
  const { update } = await updateAt({ offset }, format, node)
  const { Transaction: transaction } = update
  if (transaction === undefined) return 'came from another synchronizer'
  const { events, effectiveAt, updateId, commandId = '' } = transaction.value
  const by = commandId === '' ? '' : `, command ${commandId}`
  const what = events.flatMap((event) => wordsOf(event, contractId))[0] ?? 'used'
  return `${effectiveAt}  ${what} (update ${updateId}${by})`
}

function wordsOf({ CreatedEvent: created, ExercisedEvent: exercised }: Event, contractId: string): string[] {
  if (created?.contractId === contractId) return ['created']
  if (exercised?.contractId !== contractId || !exercised.consuming) return []
  return [`archived by ${exercised.choice}, exercised by ${exercised.actingParties.map(hintOf).join(', ')}`]
}
