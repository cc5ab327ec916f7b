// /v2/commands/async/submit-reassignment and its waiting variant. Mirrors part of Canton's JsCommandService.
import type { Subject } from '../../auth/authorization.ts'
import { RenderedJson, type Route, route } from '../route.ts'
import { eventFormatFromJson, readersOf } from '../wire/formats.ts'
import * as wire from '../wire/reassignments.ts'

const tag = 'Commands'

export const reassignmentRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v2/commands/async/submit-reassignment',
    tag,
    summary: 'Unassign or assign contracts, without waiting for the outcome',
    body: wire.submitReassignmentRequest,
    response: wire.submitReassignmentResponse,
    subject: ({ body }) => submitterOf(body.reassignmentCommands),
    async call(ledger, { body }, { userId, reads }, context) {
      await ledger.reassignments.submit(wire.reassignmentFromJson(body.reassignmentCommands, userId), context, reads)
      return {}
    },
  }),

  route({
    method: 'POST',
    path: '/v2/commands/submit-and-wait-for-reassignment',
    tag,
    summary: 'Unassign or assign contracts, and get the reassignment',
    body: wire.submitForReassignmentRequest,
    response: wire.submitForReassignmentResponse,
    subject({ body }) {
      const readers = readersOf(body.eventFormat && eventFormatFromJson(body.eventFormat))
      return { ...submitterOf(body.reassignmentCommands), ...readers }
    },
    async call({ reassignments, updates }, { body }, { userId, reads }, context) {
      const given = body.eventFormat && eventFormatFromJson(body.eventFormat)
      const commands = wire.reassignmentFromJson(body.reassignmentCommands, userId)
      const { traceContext, signal } = context
      const checks = given && { answer: updates.checksOfReassignment(given) }
      const { updateId } = await reassignments.submitAndWait(commands, { traceContext, signal, ...checks }, reads)
      return new RenderedJson(`{"reassignment":${await updates.reassignmentWithId(updateId, given, context)}}`)
    },
  }),
]

/** Nobody has the right to act as no one. */
function submitterOf(commands: { readonly userId: string; readonly submitter: string } | undefined): Subject {
  return commands === undefined ? { userId: '' } : { userId: commands.userId, actAs: [commands.submitter] }
}
