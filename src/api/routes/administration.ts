// /v2/pruning and /v2/time: pruning, and setting the time of a node with static time. Mirrors Canton's gRPC services
// ParticipantPruningService and TimeService.
import { durationFromText } from '../../base/duration.ts'
import { invalidArgument, invalidField, missingField } from '../../base/errors.ts'
import { instantToText } from '../../lf/codec/time-text.ts'
import { RenderedJson, type Route, route } from '../route.ts'
import * as wire from '../wire/administration.ts'
import { nothing } from '../wire/users.ts'

const tag = 'Administration'

export const administrationRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v2/pruning',
    tag,
    summary: 'Delete the history of the ledger; active contracts stay',
    body: wire.pruneRequest,
    response: wire.pruneResponse,
    async call({ pruning, end }, { body: { pruneUpTo, olderThan } }) {
      if (pruneUpTo !== undefined && olderThan !== '') {
        throw invalidArgument('prune_up_to cannot be specified at the same time as older_than')
      }
      if (olderThan === '') await pruning.prune(pruneUpTo ?? 0n)
      else {
        const ageMs = durationFromText(olderThan)
        if (ageMs === undefined) throw invalidField('older_than', 'it is no time such as 30d, 12h, 15m or 90s')
        await pruning.pruneOlderThan(BigInt(ageMs) * 1000n)
      }
      return new RenderedJson(`{"prunedUpTo":${end.prunedUpTo()}}`)
    },
  }),

  route({
    method: 'GET',
    path: '/v2/pruning',
    tag,
    summary: 'Get the progress of pruning, which continues in the background after POST has answered',
    response: wire.pruningProgress,
    async call({ pruning }) {
      const { prunedUpTo, deletedUpTo, isRunning } = await pruning.progress()
      return new RenderedJson(`{"prunedUpTo":${prunedUpTo},"deletedUpTo":${deletedUpTo},"isRunning":${isRunning}}`)
    },
  }),

  route({
    method: 'GET',
    path: '/v2/time',
    tag,
    summary: 'Get the ledger time',
    response: wire.timeResponse,
    async call({ time, end }) {
      await end.latest()
      return new RenderedJson(`{"currentTime":"${instantToText(time.now())}"}`)
    },
  }),

  route({
    method: 'POST',
    path: '/v2/time',
    tag,
    summary: 'Advance the ledger time, on a node with static time',
    body: wire.setTimeRequest,
    response: nothing,
    async call({ time }, { body: { currentTime, newTime } }) {
      if (currentTime === undefined) throw missingField('current_time')
      if (newTime === undefined) throw missingField('new_time')
      await time.set(currentTime, newTime)
      return {}
    },
  }),
]
