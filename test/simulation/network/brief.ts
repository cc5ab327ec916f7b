// Events in short, as the model has them.
import type { Json } from '../../fixtures/ledger.ts'
import type { Contract, World } from './model.ts'

const hintOf = (party: string) => party.split('::')[0]

/** A created event with another blob than it was created with is marked. */
export function briefOf(events: readonly Json[], { contracts }: World): string {
  return events
    .map((event) => {
      const [kind, fields] = Object.entries(event)[0] as [string, Json]
      if (kind.startsWith('Js')) return briefMove(kind, fields.value ?? fields, contracts)
      const { nodeId, lastDescendantNodeId: last, choice, witnessParties, acsDelta, contractId } = fields
      const parties = `[${witnessParties.map(hintOf)}]`
      const mark = acsDelta === undefined ? '' : acsDelta ? '+' : '-'
      if (kind === 'ArchivedEvent') return `A${nodeId}${parties}`
      if (kind === 'ExercisedEvent') return `E${nodeId}..${last}:${choice}${parties}${mark}`
      const { note, blob } = contracts.find(({ id }) => id === contractId) ?? { note: '?', blob: '' }
      const isSame = fields.createArgument.note === note && fields.createdEventBlob === blob
      return `C${nodeId}:${note}${parties}${mark}${isSame ? '' : ' otherwise'}`
    })
    .join(' ')
}

function briefMove(kind: string, value: Json, contracts: readonly Contract[]): string {
  const { contractId, witnessParties } = value.createdEvent ?? value
  const { note } = contracts.find(({ id }) => id === contractId) ?? { note: '?' }
  const what = kind === 'JsUnassignedEvent' ? 'unassignment' : 'assignment'
  return `${what}:${note}[${witnessParties.map(hintOf)}]`
}
