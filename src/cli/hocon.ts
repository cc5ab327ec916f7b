// The part of HOCON that configuration files of the Participant Query Store use: nested objects, dotted keys, quoted and
// bare values, comments, and variables of the environment. Everything else is refused with its line.
import { StartError } from '../base/errors.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Values by their whole path, as in `pipeline.oauth.clientId`. */
export function readHocon(text: string, file: string, environment: Environment): Map<string, string> {
  const values = new Map<string, string>()
  const path: string[][] = []
  for (const [index, line] of text.split('\n').entries()) {
    const refuse = (): never => {
      throw new StartError(`${file}:${index + 1} is not understood: ${line.trim()}`)
    }
    for (const part of partsOf(line)) {
      if (part === '}') {
        if (path.pop() === undefined) refuse()
        continue
      }
      const object = /^("[^"]*"|[\w.-]+)?\s*[:=]?\s*\{$/.exec(part)
      if (object !== null) {
        path.push(keysIn(object[1]))
        continue
      }
      const [, key, value] = /^("[^"]*"|[\w.-]+)\s*[:=]\s*(.*)$/.exec(part) ?? refuse()
      const found = textOf(value!, environment)
      if (found === undefined) continue
      values.set([...path.flat(), ...keysIn(key)].join('.'), found)
    }
  }
  if (path.length > 0) throw new StartError(`${file} ends within an object`)
  return values
}

/** Without comments; braces and commas separate. */
function partsOf(line: string): string[] {
  const parts: string[] = []
  let part = ''
  const end = () => {
    if (part.trim() !== '') parts.push(part.trim())
    part = ''
  }
  for (const [token] of line.matchAll(/"(?:[^"\\]|\\.)*"|\$\{[^}]*\}|\/\/|[^"]/g)) {
    if (token === '#' || token === '//') break
    if (token === '}' || token === ',') end()
    if (token !== ',') part += token
    if (token === '{' || token === '}') end()
  }
  end()
  return parts
}

function keysIn(text: string | undefined): string[] {
  if (text === undefined) return []
  return text.startsWith('"') ? [text.slice(1, -1)] : text.split('.')
}

/** Undefined for a variable that is optional and not set. */
function textOf(text: string, environment: Environment): string | undefined {
  const variable = /^\$\{(\??)(\w+)\}$/.exec(text)
  if (variable === null) return text.startsWith('"') ? JSON.parse(text) : text
  const [, isOptional, name] = variable
  const found = environment[name!]
  if (found === undefined && isOptional === '') throw new StartError(`the variable ${name} is not set`)
  return found
}
