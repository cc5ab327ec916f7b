// /v2/interactive-submission: commands of external parties. Mirrors Canton's JsInteractiveSubmissionService.
import { type Static, Type } from 'typebox'
import { LedgerError } from '../../base/errors.ts'
import { RenderedJson, type Route, route } from '../route.ts'
import { checkActAs } from '../wire/commands.ts'
import { formatForParties, readersOf, transactionFormatFromJson } from '../wire/formats.ts'
import * as wire from '../wire/interactive-submission.ts'
import { list, optional, text, timestamp } from '../wire/schema.ts'
import { transactionOrItsHead } from './commands.ts'

const tag = 'Interactive submission'

const executorOf = (body: Static<typeof wire.executeRequest>) => {
  return { userId: body.userId ?? '', executeAs: wire.actorsOf(body) }
}

export const interactiveSubmissionRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v2/interactive-submission/prepare',
    tag,
    summary: 'Prepare the transaction of a command for signing; nothing is recorded',
    body: wire.prepareRequest,
    response: wire.prepareResponse,
    early: ({ body }) => checkActAs(body),
    subject: ({ body: { userId = '', actAs, readAs } }) => ({ userId, readAs: [...readAs, ...actAs] }),
    async call(ledger, { body }, { userId }, context) {
      const prepared = await ledger.interactive.prepare(wire.prepareRequestFromJson(body, userId), context)
      return new RenderedJson(JSON.stringify(wire.preparedToJson(prepared)))
    },
  }),

  route({
    method: 'POST',
    path: '/v2/interactive-submission/execute',
    tag,
    summary: 'Submit a signed transaction without waiting; a completion reports its outcome',
    body: wire.executeRequest,
    response: wire.executeResponse,
    early: ({ body }) => void wire.preparedFrom(body),
    subject: ({ body }) => executorOf(body),
    async call(ledger, { body }, { userId }, context) {
      await ledger.interactive.execute(wire.executeRequestFromJson(body, userId), context)
      return {}
    },
  }),

  route({
    method: 'POST',
    path: '/v2/interactive-submission/executeAndWait',
    tag,
    summary: 'Submit a signed transaction and wait for its completion',
    body: wire.executeAndWaitRequest,
    response: wire.executeAndWaitResponse,
    early: ({ body }) => void wire.preparedFrom(body),
    subject: ({ body }) => executorOf(body),
    async call(ledger, { body }, { userId }, context) {
      const done = await ledger.interactive.executeAndWait(wire.executeRequestFromJson(body, userId), context)
      return new RenderedJson(
        `{"updateId":${JSON.stringify(done.updateId)},"completionOffset":${done.completionOffset}}`,
      )
    },
  }),

  route({
    method: 'POST',
    path: '/v2/interactive-submission/executeAndWaitForTransaction',
    tag,
    summary: 'Submit a signed transaction and get the recorded transaction',
    body: wire.executeForTransactionRequest,
    response: wire.executeForTransactionResponse,
    early: ({ body }) => void wire.preparedFrom(body),
    subject({ body }) {
      const format = body.transactionFormat && transactionFormatFromJson(body.transactionFormat)
      return { ...executorOf(body), ...readersOf(format?.eventFormat) }
    },
    async call(ledger, { body }, { userId }, context) {
      const given = body.transactionFormat && transactionFormatFromJson(body.transactionFormat)
      const format = given ?? formatForParties(wire.actorsOf(body), 'TRANSACTION_SHAPE_ACS_DELTA')
      const request = wire.executeRequestFromJson(body, userId)
      const { traceContext, signal } = context
      const checks = given && { answer: ledger.updates.checksOf(given) }
      const { completionOffset } = await ledger.interactive.executeAndWait(request, { traceContext, signal, ...checks })
      const transaction = await transactionOrItsHead(ledger, completionOffset, { format, form: 'transaction' }, context)
      return new RenderedJson(`{"transaction":${transaction}}`)
    },
  }),

  route({
    method: 'GET',
    path: '/v2/interactive-submission/preferred-package-version',
    tag,
    summary: 'Get the preferred version of a package, as preferred-packages does; for older clients',
    query: Type.Object({
      parties: list(Type.String(), 'Parties that must be able to use it'),
      'package-name': Type.String({ description: 'The name of the package' }),
      vetting_valid_at: optional(timestamp('When it must be vetted; now if absent')),
      'synchronizer-id': optional(text('Where it must be vetted; anywhere if absent')),
    }),
    response: wire.preferredVersionResponse,
    async call(ledger, { query }) {
      const found = await ledger.interactive.preferredPackages({
        requirements: [{ packageName: query['package-name'], parties: query.parties }],
        synchronizerId: query['synchronizer-id'] ?? '',
        vettingValidAt: query.vetting_valid_at,
      })
      if ('refused' in found) return new RenderedJson('{"packagePreference":null}')
      const [packageReference] = wire.referencesToJson(found)
      return { packagePreference: { packageReference: packageReference!, synchronizerId: found.synchronizerId } }
    },
  }),

  route({
    method: 'POST',
    path: '/v2/interactive-submission/preferred-packages',
    tag,
    summary: 'Get the versions of packages that all parties can use',
    body: wire.preferredRequest,
    response: wire.preferredResponse,
    async call(ledger, { body }) {
      const { packageVettingRequirements: requirements, synchronizerId, vettingValidAt } = body
      const found = await ledger.interactive.preferredPackages({ requirements, synchronizerId, vettingValidAt })
      if ('refused' in found) {
        const text = `Failed to compute package preferences. Reason: ${found.refused}`
        throw new LedgerError('NO_PREFERRED_PACKAGES_FOUND', text)
      }
      return { packageReferences: wire.referencesToJson(found), synchronizerId: found.synchronizerId }
    },
  }),
]
