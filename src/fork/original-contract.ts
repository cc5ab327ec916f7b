// A created event of the original. Its values stay the text that they are: parsing them would change the order of some of their
// fields.
import { JsonScan, placeOf } from '../base/exact-json.ts'
import type { OriginalContract } from '../ledger/fork/original.ts'

export type CreatedEvent = Pick<OriginalContract, 'contractId' | 'templateId' | 'packageName' | 'offset' | 'nodeId'> & {
  readonly createArgument: unknown
  readonly contractKey?: unknown
  readonly createdEventBlob: string
  readonly witnessParties: readonly string[]
  readonly acsDelta?: boolean
}

/** The JSON text of a Daml value in an element. */
export type TextOf = (value: unknown) => string

const valueNames = ['createArgument', 'contractKey', 'choiceArgument', 'exerciseResult']

/** An element of a stream, with placeholders for its Daml values. */
export function elementOf<T>(text: string): { readonly element: T; readonly textOf: TextOf } {
  const scan = new JsonScan(text, { names: valueNames })
  while (scan.run(text.length));
  return {
    element: JSON.parse(scan.result()) as T,
    textOf: (value) => scan.kept[placeOf(value) ?? -1] ?? JSON.stringify(value),
  }
}

export function contractOf(
  created: CreatedEvent,
  place: Pick<OriginalContract, 'synchronizerId' | 'reassignmentCounter' | 'workflowId'>,
  textOf: TextOf,
): OriginalContract {
  const { contractId, templateId, packageName, offset, nodeId, createArgument, contractKey } = created
  return {
    contractId,
    templateId,
    packageName,
    offset,
    nodeId,
    createArgument: textOf(createArgument),
    contractKey: contractKey === undefined || contractKey === null ? undefined : textOf(contractKey),
    blob: Buffer.from(created.createdEventBlob, 'base64'),
    synchronizerId: place.synchronizerId,
    reassignmentCounter: place.reassignmentCounter,
    workflowId: place.workflowId,
  }
}
