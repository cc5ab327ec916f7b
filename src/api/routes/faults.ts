// /dev/faults: faults on order, on a development node.
import type { Static } from 'typebox'
import { invalidArgument, invalidField, LedgerError } from '../../base/errors.ts'
import { type Fault, type FaultAction, type Faults, isErrorCode } from '../../ledger/development/faults.ts'
import { type Route, route } from '../route.ts'
import * as wire from '../wire/development.ts'
import { nothing } from '../wire/users.ts'

const tag = 'Development'

type Order = Static<typeof wire.orderFaultRequest>

export const faultRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/dev/faults',
    tag,
    summary: 'Order a fault: let submissions fail, take long or lose their answer, or let streams end',
    body: wire.orderFaultRequest,
    response: wire.faultResponse,
    async call({ development }, { body }) {
      const { match, every, times } = body
      checkBounds(body)
      const wanted = { templateId: '', commandId: '', userId: '', participant: '', ...match }
      return { fault: shown(development!.faults.add({ match: wanted, every, times, action: actionIn(body) })) }
    },
  }),

  route({
    method: 'GET',
    path: '/dev/faults',
    tag,
    summary: 'List the faults on order',
    response: wire.listFaultsResponse,
    call: async ({ development }) => ({ faults: development!.faults.list().map(shown) }),
  }),

  route({
    method: 'DELETE',
    path: '/dev/faults',
    tag,
    summary: 'Cancel all faults on order',
    response: nothing,
    async call({ development }) {
      development!.faults.clear()
      return {}
    },
  }),

  route({
    method: 'DELETE',
    path: '/dev/faults/{id}',
    tag,
    summary: 'Cancel a fault on order',
    response: nothing,
    async call({ development }, { params: { id = '' } }) {
      if (!deleted(development!.faults, id))
        throw new LedgerError('FAULT_NOT_FOUND', `There is no fault '${id.slice(0, 80)}'`)
      return {}
    },
  }),
]

function deleted(faults: Faults, id: string): boolean {
  return /^\d{1,15}$/.test(id) && faults.delete(Number(id))
}

const delayMsMax = 600_000

function checkBounds({ every, times, delayMs }: Order): void {
  if (every < 1) throw invalidField('every', 'it must be at least 1')
  if (times < 0) throw invalidField('times', 'it must not be negative')
  if (delayMs < 0 || delayMs > delayMsMax) throw invalidField('delayMs', `it must be between 0 and ${delayMsMax}`)
}

function actionIn({ fail, delayMs, loseAnswer, endStreams }: Order): FaultAction {
  const given = [fail !== undefined, delayMs > 0, loseAnswer, endStreams].filter(Boolean)
  if (given.length !== 1) throw invalidArgument('give one of fail, delayMs, loseAnswer and endStreams')
  if (loseAnswer) return { kind: 'lose-answer' }
  if (endStreams) return { kind: 'end-streams' }
  if (fail === undefined) return { kind: 'delay', ms: delayMs }
  if (!isErrorCode(fail.code))
    throw invalidField('fail.code', `'${fail.code.slice(0, 80)}' is no error code of the API`)
  return { kind: 'fail', code: fail.code, message: fail.message || 'A fault on order (/dev/faults).' }
}

function shown({ id, match, every, times, action, met, struck }: Fault) {
  return {
    id,
    match,
    every,
    times,
    fail: action.kind === 'fail' ? { code: action.code, message: action.message } : null,
    delayMs: action.kind === 'delay' ? action.ms : 0,
    loseAnswer: action.kind === 'lose-answer',
    endStreams: action.kind === 'end-streams',
    met,
    struck,
  } as never
}
