// tallystick time: shows the ledger time, or moves that of a development node forward.
import { anyDurationFromText } from '../../base/duration.ts'
import { instantFromText } from '../../lf/codec/time-text.ts'
import { type Command, UsageError } from '../command.ts'
import { getJson, postJson, type RunningNodeFlags, runningNode, runningNodeOptions } from '../running-node.ts'

export const timeCommand: Command = {
  summary: 'show the ledger time, or move it forward',
  usage: 'tallystick time [+DURATION | TIME] [options]',
  optionalOperands: ['+DURATION | TIME'],
  options: runningNodeOptions,
  notes: 'DURATION is 90s, 15m, 1h, 7d or PT1H30M, TIME such as 2030-01-01T00:00:00Z. Only a development node moves.',
  async run(flags: RunningNodeFlags, { environment, print }, [wish]) {
    const request = wish === undefined ? undefined : requestFrom(wish)
    const node = await runningNode(flags, environment)
    const answer =
      request === undefined
        ? await getJson<{ currentTime: string }>(node, '/v2/time')
        : await postJson<{ currentTime: string }>(node, '/dev/time', request)
    print(flags.json ? JSON.stringify(answer, null, 2) : answer.currentTime)
  },
}

function requestFrom(wish: string): object {
  if (wish.startsWith('+') && anyDurationFromText(wish.slice(1)) !== undefined) return { advance: wish.slice(1) }
  if (instantFromText(wish) !== undefined) return { set: wish }
  throw new UsageError(`${wish} is neither +DURATION, such as +1d, nor a time, such as 2030-01-01T00:00:00Z`)
}
