// The time of the ledger, and waiting.
import { instantFromText, instantToText } from '../../lf/codec/time-text.ts'
import { type Int64, int64, type LfValue, unit } from '../../lf/values/values.ts'
import { Unanswered } from '../failures.ts'
import { fieldsIn, int64In } from '../shapes.ts'
import type { AnswerQuestion, Questions } from './question.ts'

/** Static time is that of the default participant: participants of one ledger share it. */
const getTime: AnswerQuestion = async (_, asking): Promise<LfValue> => {
  const { hasStaticTime, clock } = asking
  if (!hasStaticTime) return int64(BigInt(clock.nowMs()) * 1000n)
  const { currentTime } = await asking.participants.named(undefined).call('GET', '/v2/time')
  return instantIn(currentTime)
}

const setTime: AnswerQuestion = async (payload, { hasStaticTime, participants }) => {
  const [time] = fieldsIn(payload, 1, 'SetTime')
  if (!hasStaticTime) throw new Unanswered('setTime is not supported in wallclock mode')
  const participant = participants.named(undefined)
  const { currentTime } = await participant.call('GET', '/v2/time')
  await participant.call('POST', '/v2/time', { currentTime, newTime: instantToText(int64(int64In(time))) })
  return unit
}

const sleep: AnswerQuestion = async (payload, { clock }) => {
  const [duration] = fieldsIn(payload, 1, 'Sleep')
  const [micros] = fieldsIn(duration, 1, 'a RelTime')
  const { promise, resolve } = Promise.withResolvers<void>()
  clock.after(Number(int64In(micros)) / 1000, resolve)
  await promise
  return unit
}

function instantIn(text: string): Int64 {
  const instant = instantFromText(text)
  if (instant === undefined) throw new Unanswered(`the participant gave ${text} for its time`)
  return instant
}

export const timeQuestions: Questions = [
  ['GetTime 1', getTime],
  ['SetTime 1', setTime],
  ['Sleep 1', sleep],
]
