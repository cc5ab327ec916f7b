// Reads a world file, JSON or YAML, and knows the line of everything in it. JSON is read as YAML, of which it is a part.
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isAlias, isNode, isScalar, LineCounter, parseDocument, visit } from 'yaml'
import { StartError } from '../../base/errors.ts'
import { parseExactly } from '../../base/exact-json.ts'

export type WorldPath = readonly (string | number)[]

export type WorldFile = {
  readonly content: unknown
  /** The error that names a place in the file. */
  problem(path: WorldPath, text: string): StartError
  /** A path in the file, relative to it. */
  resolve(path: string): string
}

export function readWorldFile(file: string): WorldFile {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartError(`cannot read the world file: ${(error as Error).message}`)
  }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineOf = (position: number) => lines.linePos(position).line
  const [mistake] = document.errors
  if (mistake !== undefined) throw new StartError(`${file}:${lineOf(mistake.pos[0])}: ${mistake.message}`)
  visit(document, {
    Scalar(_key, node) {
      // Digits that a double would lose are kept, as in a request.
      if (typeof node.value === 'number' && jsonNumber.test(node.source ?? '')) node.value = parseExactly(node.source!)
    },
  })

  /** The line of the innermost part of the path that is there. */
  function lineAt(path: WorldPath): number {
    let position = 0
    let node: unknown = document.contents
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(document)
      const pairs = isNode(node) && 'items' in node ? (node.items as readonly unknown[]) : []
      const found = typeof step === 'number' ? pairs[step] : pairs.find((pair) => keyOf(pair) === step)
      if (found === undefined) break
      const { key, value } = found as { key?: unknown; value?: unknown }
      const shown = typeof step === 'number' ? found : key
      if (isNode(shown)) position = shown.range?.[0] ?? position
      node = typeof step === 'number' ? found : value
    }
    return lineOf(position)
  }

  return {
    content: contentOf(() => document.toJS(), file),
    problem: (path, problem) => new StartError(`${file}:${lineAt(path)}: ${pathText(path)}${problem}`),
    resolve: (path) => resolve(dirname(file), path),
  }
}

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

function keyOf(pair: unknown): string | undefined {
  const key = (pair as { key?: unknown }).key
  return isScalar(key) ? String(key.value) : undefined
}

/** Aliases of YAML that multiply are refused. */
function contentOf(read: () => unknown, file: string): unknown {
  try {
    return read()
  } catch (error) {
    throw new StartError(`${file}: ${(error as Error).message}`)
  }
}

/** users.app.actAs[0] */
function pathText(path: WorldPath): string {
  if (path.length === 0) return ''
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
  return `${text.replace(/^\./, '')}: `
}
