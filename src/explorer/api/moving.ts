// Moves a contract to another synchronizer: two submissions, because between them it is on its way.
import { post } from './client.ts'
import { newCommandId } from './command-ids.ts'
import { readUpdates } from './ledger-reads.ts'
import type { EventFormat, Reassignment } from './wire.ts'

export type Move = {
  readonly contractId: string
  readonly source: string
  readonly target: string
  readonly submitter: string
  readonly userId: string
}

/** Moves of other contracts are looked through, newest first, as far as this. */
const pagesMax = 10
const pageSize = 200

/** Where the contract is after its last move; undefined if it has not been moved. Its creation may be unknown. */
export async function readPlace(
  contractId: string,
  createdAt: number | undefined,
  format: EventFormat,
  signal: AbortSignal,
): Promise<string | undefined> {
  let pageToken: string | undefined
  for (let page = 0; page < pagesMax; page += 1) {
    const query = {
      after: createdAt,
      size: pageSize,
      newestFirst: true,
      format: { includeReassignments: format },
      pageToken,
    }
    const { updates = [], nextPageToken } = await readUpdates(query, signal)
    for (const { update } of updates) {
      const events = 'Reassignment' in update ? update.Reassignment.value.events : []
      for (const event of events) {
        if ('JsAssignmentEvent' in event && event.JsAssignmentEvent.createdEvent.contractId === contractId) {
          return event.JsAssignmentEvent.target
        }
      }
    }
    if (!nextPageToken) return undefined
    pageToken = nextPageToken
  }
  return undefined
}

export const reassignPath = '/v2/commands/submit-and-wait-for-reassignment'

/** The reassignment that ends the move. */
export async function moveContract({ contractId, source, target, submitter, userId }: Move): Promise<Reassignment> {
  const unassigned = await reassign({ UnassignCommand: { value: { contractId, source, target } } }, submitter, userId)
  const [event] = unassigned.events.flatMap((one) =>
    'JsUnassignedEvent' in one ? [one.JsUnassignedEvent.value.reassignmentId] : [],
  )
  return reassign({ AssignCommand: { value: { reassignmentId: event, source, target } } }, submitter, userId)
}

async function reassign(command: object, submitter: string, userId: string): Promise<Reassignment> {
  const filters = {
    cumulative: [{ identifierFilter: { WildcardFilter: { value: { includeCreatedEventBlob: false } } } }],
  }
  const request = {
    reassignmentCommands: { commandId: newCommandId(), userId, submitter, commands: [{ command }] },
    eventFormat: { filtersByParty: { [submitter]: filters }, verbose: false },
  }
  return (await post<{ reassignment: Reassignment }>(reassignPath, request)).reassignment
}
