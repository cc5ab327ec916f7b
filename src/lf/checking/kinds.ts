// Kinds as the checker holds them. Each exists once, so equal kinds are the same object.
import type { Kind as SyntaxKind } from '../syntax/ast.ts'
import { CheckLimitReached, checkLimits, type TextWriter } from './limits.ts'

export type Kind = {
  readonly tag: 'star' | 'nat' | 'arrow'
  /** Set for an arrow only. */
  readonly parameter: Kind | undefined
  readonly result: Kind | undefined
  readonly id: number
  readonly depth: number
  /** Arrows from this kind, by their result. */
  readonly arrows: Map<Kind, Kind>
}

export type Kinds = ReturnType<typeof createKinds>

export function createKinds() {
  let count = 0
  const leaf = (tag: 'star' | 'nat'): Kind => {
    return { tag, parameter: undefined, result: undefined, id: count++, depth: 1, arrows: new Map() }
  }
  const star = leaf('star')
  const nat = leaf('nat')
  const converted = new Map<SyntaxKind, Kind>()

  function arrow(parameter: Kind, result: Kind): Kind {
    const known = parameter.arrows.get(result)
    if (known !== undefined) return known
    const depth = Math.max(parameter.depth, result.depth) + 1
    if (depth > checkLimits.kindDepthMax) throw new CheckLimitReached('a kind is nested too deep')
    const created: Kind = { tag: 'arrow', parameter, result, id: count++, depth, arrows: new Map() }
    parameter.arrows.set(result, created)
    return created
  }

  /** Inner kinds first: a table of kinds may nest them deeper than the stack is. */
  function from(syntax: SyntaxKind): Kind {
    const pending = [syntax]
    for (let next = pending.at(-1); next !== undefined; next = pending.at(-1)) {
      if (next.kind === 'arrow') {
        const parameter = converted.get(next.parameter)
        const result = converted.get(next.result)
        if (parameter === undefined || result === undefined) {
          pending.push(...(result === undefined ? [next.result] : []))
          pending.push(...(parameter === undefined ? [next.parameter] : []))
          continue
        }
        converted.set(next, arrow(parameter, result))
      } else converted.set(next, next.kind === 'star' ? star : nat)
      pending.pop()
    }
    return converted.get(syntax)!
  }

  return { star, nat, arrow, from }
}

/** As the reference shows kinds to people: `(*->*)->*`. */
export function prettyKind(to: TextWriter, kind: Kind, needsParentheses = false): void {
  if (kind.tag !== 'arrow') return to.write(kind.tag === 'star' ? '*' : 'nat')
  if (needsParentheses) to.write('(')
  prettyKind(to, kind.parameter!, true)
  to.write('->')
  prettyKind(to, kind.result!)
  if (needsParentheses) to.write(')')
}

/** As the reference prints its own data: `KArrow(KStar,KStar)`. */
export function printKind(to: TextWriter, kind: Kind): void {
  if (kind.tag !== 'arrow') return to.write(kind.tag === 'star' ? 'KStar' : 'KNat')
  to.write('KArrow(')
  printKind(to, kind.parameter!)
  to.write(',')
  printKind(to, kind.result!)
  to.write(')')
}
