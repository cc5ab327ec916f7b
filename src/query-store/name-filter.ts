// Filter expressions of the Participant Query Store: names with wildcards (*), joined by & | ! and parentheses. Spaces mean
// nothing.
import { StartError } from '../base/errors.ts'

export type NameFilter = {
  /** As it was written, without spaces. */
  readonly text: string
  /** Whether it selects something that has these names. */
  selects(names: readonly string[]): boolean
}

type Selects = NameFilter['selects']

export const everything: NameFilter = { text: '*', selects: () => true }
export const nothing: NameFilter = { text: '!*', selects: () => false }

/** `source` is what the message calls an expression that cannot be read. */
export function parseNameFilter(expression: string, source: string): NameFilter {
  const tokens = expression.match(/[&|!()]|[^&|!()\s]+/g) ?? []
  let next = 0

  function either(): Selects {
    const parts = [both()]
    while (tokens[next] === '|') {
      next += 1
      parts.push(both())
    }
    return parts.length === 1 ? parts[0]! : (names) => parts.some((selects) => selects(names))
  }

  function both(): Selects {
    const parts = [single()]
    while (tokens[next] === '&') {
      next += 1
      parts.push(single())
    }
    return parts.length === 1 ? parts[0]! : (names) => parts.every((selects) => selects(names))
  }

  function single(): Selects {
    const token = tokens[next]
    next += 1
    if (token === '!') {
      const selects = single()
      return (names) => !selects(names)
    }
    if (token === '(') {
      const selects = either()
      if (tokens[next] !== ')') throw wrong('a ) is missing')
      next += 1
      return selects
    }
    if (token === undefined || /^[&|)]$/.test(token)) throw wrong(`a name is missing before ${token ?? 'its end'}`)
    const pattern = new RegExp(`^${token.split('*').map(RegExp.escape).join('.*')}$`)
    return (names) => names.some((name) => pattern.test(name))
  }

  function wrong(problem: string): StartError {
    return new StartError(
      `${source}=${expression} is no filter: ${problem}; write names with *, &, |, ! and parentheses`,
    )
  }

  const selects = either()
  if (next < tokens.length) throw wrong(`${tokens[next]} is not expected`)
  return { text: tokens.join(''), selects }
}

/** The names by which filters know a template or an interface: `p:a.b:T`, `a.b:T`, and with a dot before the last part. */
export function filterNamesOf(packageName: string, module: string, entity: string): string[] {
  return [`${module}:${entity}`, `${module}.${entity}`].flatMap((name) => [name, `${packageName}:${name}`])
}
