// Transactions, dry runs and commands as trees for people: parties by their hints; long ids and texts shortened, unless one
// asks for all of them.

type Json = Readonly<Record<string, unknown>>
/** An event, a node or a command: its kind, and what is in it. */
type Entry = { readonly kind: string; readonly content: Json }
type Branch = { readonly text: string; readonly below: readonly Branch[] }

/** Of a transaction with all its events, of one with creates and archives only, or of a dry run. */
export function transactionText(transaction: object, isFull = false): string {
  const { events, nodes, roots } = transaction as { events?: Json[]; nodes?: Json[]; roots?: number[] }
  if (nodes === undefined) {
    return treeText(branchesOfEvents((events ?? []).map(entryOf), (entry) => entryText(entry, isFull)))
  }
  const byId = new Map(nodes.map((node) => [entryOf(node).content.nodeId, entryOf(node)]))
  const branchOf = (id: unknown): Branch => {
    const entry = byId.get(id as number)!
    return { text: entryText(entry, isFull), below: listIn(entry.content.children).map(branchOf) }
  }
  return treeText((roots ?? []).map(branchOf))
}

/** Shows all events of a transaction, and the parties that see each. */
export function witnessedText(transaction: object): string {
  const { events = [] } = transaction as { events?: Json[] }
  const textOf = (entry: Entry) => {
    const witnesses = listIn(entry.content.witnessParties).map((party) => valueText(party))
    return `${entryText(entry, false)} (seen by ${witnesses.join(', ')})`
  }
  return treeText(branchesOfEvents(events.map(entryOf), textOf))
}

/**
 * Commands that were refused. `failed` is what the failed one had done, as the context of the error has it: its exercise,
 * and indented under it what was done there.
 */
export function commandsText(commands: readonly object[], failed = ''): string {
  const [exercise = '', ...steps] = failed.split('\n')
  const entries = commands.map((command) => entryOf(command as Json))
  const failing = entries.findIndex(({ content }) => isExercisedBy(content, exercise))
  return treeText(
    entries.map((entry, index) => ({
      text: entryText(entry, false),
      below: index === failing ? branchesOfLines(steps) : [],
    })),
  )
}

/** A command that exercises by key, or after creating, does not know the contract. */
function isExercisedBy({ choice, contractId }: Json, line: string): boolean {
  const [, exercised, id = ''] = /^exercise (\S+) of \S+ (\w+)/.exec(line) ?? []
  return exercised !== undefined && exercised === choice && String(contractId ?? id).startsWith(id)
}

/** What is indented more than a line is below it. */
function branchesOfLines(lines: readonly string[]): Branch[] {
  const depthOf = (line: string) => line.search(/\S/)
  const branches: Branch[] = []
  for (let at = 0; at < lines.length; ) {
    let end = at + 1
    while (end < lines.length && depthOf(lines[end]!) > depthOf(lines[at]!)) end += 1
    branches.push({ text: lines[at]!.trim(), below: branchesOfLines(lines.slice(at + 1, end)) })
    at = end
  }
  return branches
}

/** Events name their last descendant; what follows up to it happened inside. */
function branchesOfEvents(entries: readonly Entry[], textOf: (entry: Entry) => string): Branch[] {
  const branches: Branch[] = []
  for (let at = 0; at < entries.length; ) {
    const { nodeId, lastDescendantNodeId = nodeId } = entries[at]!.content
    let end = at + 1
    while (end < entries.length && Number(entries[end]!.content.nodeId) <= Number(lastDescendantNodeId)) end += 1
    const below = branchesOfEvents(entries.slice(at + 1, end), textOf)
    branches.push({ text: textOf(entries[at]!), below })
    at = end
  }
  return branches
}

function entryText({ kind, content }: Entry, isFull: boolean): string {
  const shown = (value: unknown) => valueText(value, isFull)
  const what = `${shownTemplate(content.templateId)} ${shownId(content.contractId, isFull)}`.trimEnd()
  const { choice, actingParties, actors = actingParties } = content
  const by = actors === undefined ? '' : `${listIn(actors).map(shown).join(', ')}: `
  const result = content.exerciseResult
  const returned = result === undefined || result === null ? '' : ` → ${shown(result)}`
  switch (kind) {
    case 'Create':
      return `create ${what} ${shown(content.createArgument ?? content.createArguments)}`
    case 'Exercise':
      return `${by}exercise ${choice} of ${what} ${shown(content.choiceArgument)}${returned}`
    case 'ExerciseByKey':
      return `exercise ${choice} of ${what} with key ${shown(content.contractKey)} ${shown(content.choiceArgument)}`
    case 'CreateAndExercise':
      return `create ${what} ${shown(content.createArguments)}, exercise ${choice} ${shown(content.choiceArgument)}`
    case 'QueryByKey':
      return `look up ${what} with key ${shown(content.contractKey)}`
    case 'Rollback':
      return 'undone by an exception'
    default:
      return `${by}${kind.toLowerCase()} ${what}`
  }
}

const kinds: Readonly<Record<string, string>> = { Created: 'Create', Exercised: 'Exercise', Archived: 'Archive' }

/** `{ CreatedEvent: … }`, `{ Create: … }` and `{ CreateCommand: … }` are entries of the same kind. */
function entryOf(entry: Json): Entry {
  const [name = '', content = {}] = Object.entries(entry)[0] ?? []
  const kind = name.replace(/(Event|Command)$/, '')
  return { kind: Object.hasOwn(kinds, kind) ? kinds[kind]! : kind, content: content as Json }
}

function treeText(branches: readonly Branch[], indent = ''): string {
  return branches
    .map(({ text, below }, index) => {
      const isLast = index === branches.length - 1
      const lines = `${indent}${isLast ? '└─' : '├─'} ${text}`
      return below.length === 0 ? lines : `${lines}\n${treeText(below, `${indent}${isLast ? '   ' : '│  '}`)}`
    })
    .join('\n')
}

/** `{amount: 30.0, owner: alice}`: parties by their hints, texts without quotes. */
export function valueText(value: unknown, isFull = false): string {
  if (typeof value === 'string')
    return partyPattern.test(value) ? value.slice(0, value.indexOf('::')) : shownText(value, isFull)
  if (Array.isArray(value)) return `[${value.map((item) => valueText(item, isFull)).join(', ')}]`
  return typeof value === 'object' && value !== null ? `{${fieldsText(value, isFull)}}` : String(value)
}

/** `amount: 30.0, owner: alice` */
export function fieldsText(record: object, isFull = false): string {
  return Object.entries(record)
    .map(([name, field]) => `${name}: ${valueText(field, isFull)}`)
    .join(', ')
}

const partyPattern = /^[^\s:]+::1220[0-9a-f]{64}$/
const contractIdPattern = /^00[0-9a-f]{64,}$/
/** Characters of an id that are enough to recognize it. */
const idLength = 12
const textLengthMax = 200

/** A tree has one line for each entry, and a terminal takes no orders from values. */
function shownText(text: string, isFull: boolean): string {
  if (contractIdPattern.test(text)) return shownId(text, isFull)
  const line = text.replaceAll(/\p{Cc}+/gu, ' ')
  return line.length > textLengthMax && !isFull ? `${line.slice(0, textLengthMax)}…` : line
}

function shownId(id: unknown, isFull: boolean): string {
  const text = typeof id === 'string' ? id : ''
  return text.length > idLength && !isFull ? `${text.slice(0, idLength)}…` : text
}

/** `Iou:Iou`, without the package. */
function shownTemplate(templateId: unknown): string {
  const text = typeof templateId === 'string' ? templateId : ''
  return text.slice(text.indexOf(':') + 1)
}

function listIn(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : []
}
