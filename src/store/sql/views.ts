// The views of `tallystick sql`: documented columns over tables that may change. They are temporary views of the
// session, so commits do not pay for them, no ledger has to be migrated when they change, and they may have the name of
// a table. Both databases decode what is stored: pieces of JSON (events/format/stored-update.ts) are cut out as texts.
import { base64Mark, phrases, wordCodes } from '../../events/format/packed-text.ts'

export type Dialect = {
  /** Where the tables are. */
  readonly schema: string
  /** The n-th line of the description of an update, from 1. */
  line(number: number): string
  /** A part of bytes, as a text; `start` is the number of bytes before it. */
  part(bytes: string, start: string, length: string): string
  /** A text as JSON. */
  json(text: string): string
  /** A number in a JSON list, or undefined past its end. */
  numberAt(list: string, index: string): string
  /** A FROM clause: the elements of a JSON list as `element.value`. */
  elements(list: string): string
  /** What orders them. */
  readonly place: string
  /** A JSON list of what a subquery yields as `item`, by `place`. */
  listOf(subquery: string): string
  /** A JSON value that is a text or a number, as a text. */
  text(value: string): string
  isNumber(value: string): string
  /** A member of a JSON list by a number that is an expression. */
  memberAt(list: string, index: string): string
  /** The type of numbers. */
  readonly int: string
  /** How true reads when it is taken out of JSON as a text. */
  readonly trueTexts: string
  /** A body as it was before it was packed (events/format/packed-text.ts); in SQL that PostgreSQL knows, if absent. */
  unpacked?(body: string): string
}

export type View = { readonly name: string; readonly select: string }

/** Party 0 of the index of active contracts stands for anybody. */
const anybody = 0

/**
 * In the order of creation. The first is for the others. `contractsWhere` is a condition on `c`, the table of contracts,
 * that all of them meet.
 */
export function viewsIn(dialect: Dialect, contractsWhere?: string): readonly View[] {
  const { schema, line, part, json, elements, listOf, text, isNumber, memberAt, numberAt, place, int, trueTexts } =
    dialect
  const field = (value: string, name: string) => `(${value} ->> '${name}')`
  const partyIn = (list: string, value: string) =>
    `CASE WHEN ${isNumber(value)} THEN ${memberAt(list, text(value))} ELSE ${text(value)} END`

  const unpacked = (body: string) => dialect.unpacked?.(body) ?? unpackedInSql(body)
  const described = `SELECT update_offset, ${unpacked('body')} AS body,
    ${json(`'{' || ${line(1)} || '}'`)} AS head,
    ${json(`'{' || ${line(2)} || '}'`)} AS setting,
    ${json(line(3))} AS signed_hash,
    ${json(line(4))} AS ends,
    ${json(line(5))} AS outline
  FROM ${schema}.updates WHERE meta LIKE '"%'`

  const transactions = `SELECT t.update_offset,
    ${field('t.head', 'updateId')} AS update_id,
    ${field('t.head', 'commandId')} AS command_id,
    ${field('t.head', 'workflowId')} AS workflow_id,
    c.user_id,
    ${listOf(
      `SELECT ${place} AS place, ${partyIn(`t.outline -> 'parties'`, 'element.value')} AS item FROM ${elements(`t.outline -> 'submitters'`)}`,
    )} AS act_as,
    ${field('t.head', 'effectiveAt')} AS effective_at,
    ${field('t.setting', 'recordTime')} AS record_time,
    s.alias AS synchronizer,
    (SELECT COUNT(*) FROM ${elements(`t.outline -> 'events'`)}) AS events
  FROM ledger_transactions t
  LEFT JOIN ${schema}.completions c ON c.completion_offset = t.update_offset
  LEFT JOIN ${schema}.synchronizers s ON s.id = ${field('t.setting', 'synchronizerId')}`

  const created = `CASE WHEN c.event_start IS NULL THEN c.event ELSE (
    SELECT substr(${unpacked('u.body')}, CAST(c.event_start AS INTEGER) + 1, CAST(c.event_bytes AS INTEGER))
    FROM ${schema}.updates u WHERE u.update_offset = c.created_offset) END`
  const [first, second] = [part('c.created', '0', 'c.event_cut'), part('c.created', 'c.event_cut', 'length(c.created)')]
  const decoded = `SELECT c.*, ${json(`'{' || ${first} || ',' || ${second} || '}'`)} AS json
  FROM (SELECT c.*, ${created} AS created FROM ${schema}.contracts c) c`

  const listed = (list: string) => `SELECT ${text('element.value')} AS item FROM ${elements(list)}`
  const [signatories, observers] = ["c.json -> 'signatories'", "c.json -> 'observers'"]
  const stakeholders = listOf(`SELECT item AS place, item FROM (${listed(signatories)} UNION ${listed(observers)}) s`)

  const contractColumns = `c.number,
    c.contract_id,
    n.name AS template,
    ${field('c.json', 'templateId')} AS template_id,
    ${field('c.json', 'representativePackageId')} AS package_id,
    ${field('c.json', 'packageName')} AS package_name,
    c.json -> 'createArgument' AS payload,
    c.json -> 'contractKey' AS contract_key,
    ${signatories} AS signatories,
    ${observers} AS observers,
    ${stakeholders} AS stakeholders,
    c.created_offset,
    ${field('c.json', 'createdAt')} AS created_at`
  const rest = `s.alias AS synchronizer,
    c.workflow_id`
  const synchronizer = `LEFT JOIN ${schema}.synchronizers s ON s.number = COALESCE(c.moved_to, c.synchronizer)`

  const contracts = `SELECT ${contractColumns},
    a.archived_offset,
    ${field('u.head', 'effectiveAt')} AS archived_at,
    CASE WHEN a.contract IS NULL THEN 1 ELSE 0 END AS is_active,
    ${rest}
  FROM (${decoded}) c
  JOIN ${schema}.names n ON n.number = c.template
  LEFT JOIN ${schema}.archives a ON a.contract = c.number
  LEFT JOIN ledger_transactions u ON u.update_offset = a.archived_offset
  ${synchronizer}${contractsWhere === undefined ? '' : ` WHERE ${contractsWhere}`}`

  // These begin with the index of active contracts, which has them by party and template.
  const activeContracts = `SELECT ${contractColumns},
    ${rest}
  FROM ${schema}.active_contracts p
  JOIN ${schema}.names n ON n.number = p.template
  JOIN (${decoded}) c ON c.number = p.contract
  ${synchronizer} WHERE p.party = ${anybody}`

  const stakes = `SELECT party.name AS party, n.name AS template, p.contract AS number
  FROM ${schema}.active_contracts p
  JOIN ${schema}.names party ON party.number = p.party
  JOIN ${schema}.names n ON n.number = p.template
  WHERE p.party <> ${anybody}`

  // A create has two pieces and an exercise four; they are counted up to the exercise.
  const kind = memberAt('element.value', '0')
  const counted = `SELECT t.update_offset, t.body, t.ends, t.outline, element.value AS event, ${kind} AS kind,
    SUM(CASE WHEN ${kind} = 'create' THEN 2 ELSE 4 END) OVER (PARTITION BY t.update_offset ORDER BY ${place}) AS pieces
  FROM ledger_transactions t, ${elements(`t.outline -> 'events'`)}`
  const endAt = (index: string) =>
    `CASE WHEN ${index} < 0 THEN 0 ELSE ${numberAt('e.ends', `CAST(${index} AS ${int})`)} END`
  const ended = `SELECT e.*, ${[0, 1, 2, 3, 4]
    .map((place) => `${endAt(`e.pieces - ${5 - place}`)} AS end_${place}`)
    .join(', ')} FROM (${counted}) e WHERE e.kind = 'exercise'`
  const pieces = [0, 1, 2, 3].map((index) => part('e.body', `e.end_${index}`, `e.end_${index + 1} - e.end_${index}`))
  const whole = `SELECT e.update_offset, e.event, e.outline, ${json(`'{' || ${pieces.join(" || ',' || ")} || '}'`)} AS json FROM (${ended}) e`

  const exercises = `SELECT e.update_offset,
    CAST(${memberAt('e.event', '1')} AS ${int}) AS node_id,
    ${field('e.json', 'contractId')} AS contract_id,
    ${memberAt(`e.outline -> 'templates'`, memberAt('e.event', '2'))} AS template,
    ${field('e.json', 'templateId')} AS template_id,
    ${field('e.json', 'packageName')} AS package_name,
    ${field('e.json', 'interfaceId')} AS interface_id,
    ${field('e.json', 'choice')} AS choice,
    e.json -> 'choiceArgument' AS argument,
    e.json -> 'exerciseResult' AS result,
    e.json -> 'actingParties' AS acting_parties,
    CASE WHEN ${field('e.json', 'consuming')} IN (${trueTexts}) THEN 1 ELSE 0 END AS is_consuming,
    CAST(${field('e.json', 'lastDescendantNodeId')} AS ${int}) AS last_descendant_node_id
  FROM (${whole}) e`

  return [
    { name: 'ledger_transactions', select: described },
    { name: 'contracts', select: contracts },
    { name: 'active_contracts', select: activeContracts },
    { name: 'stakeholders', select: stakes },
    { name: 'transactions', select: transactions },
    { name: 'exercises', select: exercises },
  ]
}

/** Puts the words of the first line in place of their codes, and then the phrases. */
function unpackedInSql(body: string): string {
  const codes = wordCodes.map((code) => code.charCodeAt(0)).join(', ')
  const text = Object.values(phrases).reduce(
    (packed, [code, phrase]) => `replace(${packed}, chr(${code.charCodeAt(0)}), '${phrase}')`,
    'text',
  )
  const word = 'words ->> (place - 1)'
  const written = `CASE WHEN ${word} LIKE '${base64Mark}%'
      THEN encode(decode(substr(${word}, 2), 'base64'), 'hex') ELSE ${word} END`
  return `CASE WHEN substr(${body}, 1, 1) <> '[' THEN ${body} ELSE convert_to((WITH RECURSIVE unpacking AS (
    SELECT 1 AS place, substr(packed, strpos(packed, chr(10)) + 1) AS text,
      CAST(substr(packed, 1, strpos(packed, chr(10))) AS JSONB) AS words
    FROM (SELECT convert_from(${body}, 'UTF8') AS packed) p
    UNION ALL
    SELECT place + 1, replace(text, chr((ARRAY[${codes}])[place]), ${written}), words
    FROM unpacking WHERE place <= jsonb_array_length(words)
  ) SELECT ${text} FROM unpacking ORDER BY place DESC LIMIT 1), 'UTF8') END`
}
