// Whether the nodes and contracts of a prepared transaction can be decoded, in the words of Canton's
// PreparedTransactionDecoder, which says where in the message it stops.
import { nameProblem, packageNameProblem, partyProblem } from '../../base/names.ts'
import { isSerializationVersion } from '../../lf/codec/prepared-hash.ts'
import type { InputContract, PreparedCreate, PreparedNode, PreparedNodes } from '../../lf/codec/prepared-transaction.ts'
import { contractIdProblem } from '../../lf/values/contract-ids.ts'

type Found = { readonly words: string; readonly path: readonly string[] }

export function nodesProblem({ version, nodes, roots }: PreparedNodes): string | undefined {
  const found =
    at('version', versionProblem(version)) ??
    first(nodes, ({ nodeId, v1 }) => within('nodes', at('', nodeIdProblem(nodeId)) ?? nodeProblem(v1))) ??
    first(roots, (root) => at('roots', nodeIdProblem(root)))
  return found && shown(found)
}

export function seedsProblem({ nodeSeeds }: PreparedNodes): string | undefined {
  const found = first(nodeSeeds, ({ seed }) => {
    return at('optNodeSeeds', seed.length === 32 ? undefined : `hash should have 32 bytes, got ${seed.length}`)
  })
  return found && shown(found)
}

export function inputContractProblem({ v1 }: InputContract): string | undefined {
  const found = v1 === undefined ? here('Cannot decode empty disclosed contract') : createProblem(v1)
  return found && shown(found)
}

function nodeProblem(node: PreparedNode | undefined): Found | undefined {
  if (node === undefined) return here('Cannot decode empty versioned node')
  switch (node.kind) {
    case 'create':
      return createProblem(node.value)
    case 'fetch':
      return contractProblem(node.value) ?? partiesProblem('actingParties', node.value.actingParties)
    case 'exercise':
      return (
        contractProblem(node.value) ??
        at('choiceId', nameProblem(node.value.choiceId)) ??
        partiesProblem('actingParties', node.value.actingParties) ??
        at('chosenValue', node.value.chosenValue === undefined ? 'empty value' : undefined) ??
        partiesProblem('choiceObservers', node.value.choiceObservers) ??
        first(node.value.children, (child) => at('children', nodeIdProblem(child)))
      )
    case 'rollback':
      return first(node.value.children, (child) => at('children', nodeIdProblem(child)))
    case 'query-by-key':
      return (
        at('', versionProblem(node.value.lfVersion)) ??
        at('packageName', packageNameProblem(node.value.packageName)) ??
        at('templateId', node.value.templateId === undefined ? 'empty value' : undefined) ??
        first(node.value.result, (id) => at('result', idProblem(id)))
      )
  }
}

function createProblem(create: PreparedCreate): Found | undefined {
  return contractProblem(create) ?? at('arg', create.argument === undefined ? 'Missing argument value' : undefined)
}

type OfContract = Pick<
  PreparedCreate,
  'lfVersion' | 'contractId' | 'packageName' | 'templateId' | 'signatories' | 'stakeholders'
>

function contractProblem(node: OfContract): Found | undefined {
  return (
    at('', versionProblem(node.lfVersion)) ??
    at('contractId', idProblem(node.contractId)) ??
    at('packageName', packageNameProblem(node.packageName)) ??
    at('templateId', node.templateId === undefined ? 'empty value' : undefined) ??
    partiesProblem('signatories', node.signatories) ??
    partiesProblem('stakeholders', node.stakeholders)
  )
}

function versionProblem(version: string): string | undefined {
  return isSerializationVersion(version) ? undefined : `Unsupported serialization version '${version}'`
}

function nodeIdProblem(id: string): string | undefined {
  return /^[+-]?\d{1,10}$/.test(id) ? undefined : 'Node Id is not a valid integer'
}

function idProblem(contractId: string): string | undefined {
  if (!/^(?:[0-9a-f]{2})*$/.test(contractId)) return `cannot parse HexString ${contractId}`
  return contractIdProblem(contractId)
}

function partiesProblem(field: string, parties: readonly string[]): Found | undefined {
  return first(parties, (party, index) => at(`${field}(${index})`, partyProblem(party)))
}

// ── Places

const here = (words: string): Found => ({ words, path: [] })

function at(field: string, words: string | undefined): Found | undefined {
  return words === undefined ? undefined : { words, path: field === '' ? [] : [field] }
}

function within(field: string, found: Found | undefined): Found | undefined {
  return found && { ...found, path: [field, ...found.path] }
}

function first<T>(items: readonly T[], problem: (item: T, index: number) => Found | undefined): Found | undefined {
  for (const [index, item] of items.entries()) {
    const found = problem(item, index)
    if (found !== undefined) return found
  }
  return undefined
}

function shown({ words, path }: Found): string {
  return path.length === 0 ? words : `${words} at path ${path.join('.')}`
}
