// What a command had done when it failed, for developers of the model: a line for each exercise under way, and indented
// under it what was done there, in order.
import type { Identifier } from '../../lf/syntax/ast.ts'
import type { NodeTree } from './nodes.ts'
import type { Scope } from './scopes.ts'

/** Of the exercises inside that of the command, the innermost ones are shown, and of each the last steps. */
const scopesMax = 20
const stepsMax = 8
/** Characters of an id that are enough to recognize it. */
const idLength = 12

/** Undefined if no exercise is under way. */
export function soFar(innermost: Scope): string | undefined {
  const scopes: Scope[] = []
  for (let at = innermost; at.parent !== undefined; at = at.parent) scopes.push(at)
  const command = scopes.pop()
  if (command === undefined) return undefined
  const inner = scopes.reverse().slice(-scopesMax)
  const lines: string[] = []
  let depth = 0
  for (const scope of [command, ...inner]) {
    const { exercise, children } = scope
    if (exercise !== undefined) lines.push(`${indent(depth++)}${lineOf(exercise)}`)
    const steps = children.slice(-stepsMax)
    const isCut = steps.length < children.length || (scope === command && inner.length < scopes.length)
    if (isCut) lines.push(`${indent(depth)}…`)
    lines.push(...steps.map((step) => `${indent(depth)}${lineOf(step)}`))
  }
  return [...lines, `${indent(depth)}failed here`].join('\n')
}

function indent(depth: number): string {
  return '  '.repeat(depth)
}

function lineOf(node: NodeTree): string {
  switch (node.kind) {
    case 'exercise':
      return `exercise ${node.choice} of ${named(node.templateId)} ${short(node.contractId)}`
    case 'query-by-key':
      return `look up ${named(node.templateId)} by key`
    case 'rollback':
      return 'undone by an exception'
    default:
      return `${node.kind} ${named(node.templateId)} ${short(node.contractId)}`
  }
}

function named({ module, name }: Identifier): string {
  return `${module}:${name}`
}

function short(id: string): string {
  return id.length > idLength ? `${id.slice(0, idLength)}…` : id
}
