// Decodes stored updates and events in SQL, as expressions that SQLite and PostgreSQL compute: the lines of a description
// (format/stored-update.ts), the pieces of events (format/event-pieces.ts) and packed text.
import { base64Mark, phrases, wordCodes } from '../format/packed-text.ts'
import { acceptedCode } from '../format/stored-completion.ts'
import { noCommandId } from '../format/stored-update.ts'

/** What SQLite and PostgreSQL write differently. */
export type Dialect = {
  /** The n-th line of a text of so many lines, from 1. */
  line(text: string, number: number, count: number): string
  /** A part of bytes, as a text; `start` is the number of bytes before it. */
  part(bytes: string, start: string, length: string): string
  /** A text as JSON. */
  json(text: string): string
  /** A number in a JSON list, or null past its end. */
  numberAt(list: string, index: string): string
  /** A FROM clause: the elements of a JSON list as `element.value`. */
  elements(list: string): string
  /** Orders them. */
  readonly place: string
  /** A JSON list of the results of a subquery, `item`, ordered by `place`. */
  listOf(subquery: string): string
  /** A JSON value that is a text or a number, as a text. */
  text(value: string): string
  isNumber(value: string): string
  /** A member of a JSON list by a number that is an expression. */
  memberAt(list: string, index: string): string
  /** The type of numbers. */
  readonly int: string
  /** The text of true in JSON. */
  readonly trueTexts: string
  /** A body as it was before it was packed; in SQL that PostgreSQL knows, if absent. */
  unpacked?(body: string): string
}

/** Conditions on a row of updates, and on one of completions: whether the command was accepted. */
export const transactionCondition = (meta: string) => `${meta} LIKE '"%'`
/** A change of the topology, or what another participant submitted. */
export const withoutCompletion = (meta: string) => `(${meta} LIKE 'topology%' OR ${meta} LIKE '%${noCommandId}%')`
export const acceptedCondition = (
  head: string,
  tail: string,
) => `CASE WHEN ${head} LIKE '[%' THEN ${head} LIKE '%${acceptedCode}%'
        ELSE ${head} NOT LIKE '%"updateId":""%' AND ${tail} NOT LIKE '%"updateId":""%' END`

/** The lines of the description of a transaction. */
const lines = ['head', 'setting', 'signed_hash', 'ends', 'outline'] as const
/** These lines are members of an object without its braces. */
const membersOnly: readonly string[] = ['head', 'setting']

export type Decoding = ReturnType<typeof decodingIn>

export function decodingIn(dialect: Dialect) {
  const { line, part, json, elements, listOf, text, isNumber, memberAt, numberAt, place, int, trueTexts } = dialect
  const field = (value: string, name: string) => `(${value} ->> '${name}')`
  const unpacked = (body: string) => dialect.unpacked?.(body) ?? unpackedInSql(body)
  const objectOf = (pieces: readonly string[]) => json(`'{' || ${pieces.join(" || ',' || ")} || '}'`)

  /** Columns of a row of updates that is a transaction. */
  const transactionColumns = [
    `${unpacked('body')} AS body`,
    ...lines.map((name, index) => {
      const own = line('meta', index + 1, lines.length)
      return `${membersOnly.includes(name) ? objectOf([own]) : json(own)} AS ${name}`
    }),
  ].join(',\n    ')

  /** The fields of a transaction, from these columns of `t`. */
  const transaction = (t: string) => {
    const party = `CASE WHEN ${isNumber('element.value')}
      THEN ${memberAt(`${t}.outline -> 'parties'`, text('element.value'))} ELSE ${text('element.value')} END`
    return {
      updateId: field(`${t}.head`, 'updateId'),
      commandId: field(`${t}.head`, 'commandId'),
      workflowId: field(`${t}.head`, 'workflowId'),
      effectiveAt: field(`${t}.head`, 'effectiveAt'),
      recordTime: field(`${t}.setting`, 'recordTime'),
      synchronizerId: field(`${t}.setting`, 'synchronizerId'),
      submitters: listOf(`SELECT ${place} AS place, ${party} AS item FROM ${elements(`${t}.outline -> 'submitters'`)}`),
      eventCount: `(SELECT COUNT(*) FROM ${elements(`${t}.outline -> 'events'`)})`,
    }
  }

  /** The JSON of a created event from its bytes; `cut` is the length of the first piece. */
  const createdJson = (bytes: string, cut: string) =>
    objectOf([part(bytes, '0', cut), part(bytes, cut, `length(${bytes})`)])

  /** The fields of a created event, from its JSON. */
  const created = (event: string) => {
    const [signatories, observers] = [`${event} -> 'signatories'`, `${event} -> 'observers'`]
    const listed = (list: string) => `SELECT ${text('element.value')} AS item FROM ${elements(list)}`
    return {
      templateId: field(event, 'templateId'),
      packageId: field(event, 'representativePackageId'),
      packageName: field(event, 'packageName'),
      payload: `${event} -> 'createArgument'`,
      contractKey: `${event} -> 'contractKey'`,
      signatories,
      observers,
      stakeholders: listOf(`SELECT item AS place, item FROM (${listed(signatories)} UNION ${listed(observers)}) s`),
      createdAt: field(event, 'createdAt'),
    }
  }

  /** Rows with the exercises of transactions, which have the columns of a transaction in the table `transactions`. */
  const exercisesIn = (transactions: string) => {
    // A create has two pieces and an exercise four; they are counted up to the exercise.
    const kind = memberAt('element.value', '0')
    const counted = `SELECT t.update_offset, t.body, t.ends, t.outline, element.value AS event, ${kind} AS kind,
    SUM(CASE WHEN ${kind} = 'create' THEN 2 ELSE 4 END) OVER (PARTITION BY t.update_offset ORDER BY ${place}) AS pieces
  FROM ${transactions} t, ${elements(`t.outline -> 'events'`)}`
    const endAt = (index: string) =>
      `CASE WHEN ${index} < 0 THEN 0 ELSE ${numberAt('e.ends', `CAST(${index} AS ${int})`)} END`
    const ended = `SELECT e.*, ${[0, 1, 2, 3, 4]
      .map((piece) => `${endAt(`e.pieces - ${5 - piece}`)} AS end_${piece}`)
      .join(', ')} FROM (${counted}) e WHERE e.kind = 'exercise'`
    const pieces = [0, 1, 2, 3].map((index) => part('e.body', `e.end_${index}`, `e.end_${index + 1} - e.end_${index}`))
    return `SELECT e.update_offset, e.event, e.outline, ${objectOf(pieces)} AS json FROM (${ended}) e`
  }

  /** The fields of an exercise, from the columns of these rows. */
  const exercise = (e: string) => ({
    nodeId: `CAST(${memberAt(`${e}.event`, '1')} AS ${int})`,
    contractId: field(`${e}.json`, 'contractId'),
    template: memberAt(`${e}.outline -> 'templates'`, memberAt(`${e}.event`, '2')),
    templateId: field(`${e}.json`, 'templateId'),
    packageName: field(`${e}.json`, 'packageName'),
    interfaceId: field(`${e}.json`, 'interfaceId'),
    choice: field(`${e}.json`, 'choice'),
    argument: `${e}.json -> 'choiceArgument'`,
    result: `${e}.json -> 'exerciseResult'`,
    actingParties: `${e}.json -> 'actingParties'`,
    isConsuming: `CASE WHEN ${field(`${e}.json`, 'consuming')} IN (${trueTexts}) THEN 1 ELSE 0 END`,
    lastDescendantNodeId: `CAST(${field(`${e}.json`, 'lastDescendantNodeId')} AS ${int})`,
  })

  return { unpacked, transactionColumns, transaction, createdJson, created, exercisesIn, exercise }
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
