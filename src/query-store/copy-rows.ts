// COPY … FROM STDIN, in its text format: the quickest way to write many rows, which the driver does not have itself.
import type pg from 'pg'

/** What a query of the driver may be instead of text: it calls these as messages arrive. */
type Submitted = {
  submit(connection: CopyConnection): void
  handleCopyInResponse(connection: CopyConnection): void
  handleCommandComplete(): void
  handleReadyForQuery(): void
  handleError(error: Error): void
}

type CopyConnection = {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** `lines` are rows of text, each made by `copyLine`. */
export function copyRows(client: pg.ClientBase, into: string, lines: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const copy: Submitted = {
    submit: (connection) => connection.query(`COPY ${into} FROM STDIN`),
    handleCopyInResponse(connection) {
      connection.sendCopyFromChunk(Buffer.from(lines.join('')))
      connection.endCopyFrom()
    },
    handleCommandComplete: () => undefined,
    handleReadyForQuery: resolve,
    handleError: reject,
  }
  client.query(copy as unknown as pg.Submittable)
  return promise
}

/** A cell without characters that have a meaning in the format; null is absent. */
export type Cell = string | number | boolean | undefined

export function copyLine(cells: readonly Cell[]): string {
  return `${copyCells(cells)}\n`
}

/** The beginning of a line. */
export function copyCells(cells: readonly Cell[]): string {
  let text = ''
  for (let index = 0; index < cells.length; index += 1) {
    const cell = cells[index]
    if (index > 0) text += '\t'
    text += cell === undefined ? '\\N' : cell
  }
  return text
}

/** PostgreSQL has no place for the character zero. */
export function textCell(text: string): string {
  return text.replaceAll('\0', '\ufffd').replaceAll(/[\\\n\r\t]/g, (found) => special[found]!)
}

const special: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

export function jsonCell(value: unknown): string {
  const json = JSON.stringify(value)
  const storable = json.includes('\\u0000') ? json.replaceAll(/\\(u0000|.)/g, withoutZero) : json
  return storable.includes('\\') ? storable.replaceAll('\\', '\\\\') : storable
}

function withoutZero(found: string, name: string): string {
  return name === 'u0000' ? '\\ufffd' : found
}

/** Of parties, whose ids have nothing to escape. */
export function partiesCell(parties: readonly string[] | undefined): string {
  return parties === undefined || parties.length === 0 ? '{}' : `{"${parties.join('","')}"}`
}

export function bytesCell(bytes: Buffer): string | undefined {
  return bytes.length === 0 ? undefined : `\\\\x${bytes.toString('hex')}`
}
