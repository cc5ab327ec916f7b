// What is compared of an answer about JSON: the JSON that comes out again, or that it is refused, with the code and the
// text where the API shows a text of its own.
import type { Recorded } from '../recorded-values.ts'
import type { JsonAnswer } from './json-packages.ts'

/** The reference's answer in our form. Without a reason, the API answers with an internal error: ours has its own text. */
export function expectedAnswer({ json, stage, class: kind, message }: Recorded): JsonAnswer {
  if (json !== undefined) return { json }
  const name = kind.slice(kind.lastIndexOf('.') + 1)
  if (stage === 'translate') return { code: 'COMMAND_PREPROCESSING_FAILED', reason: message }
  if (stage === 'validate')
    return { code: 'INVALID_ARGUMENT', reason: /arguments: (.*)$/s.exec(message)?.[1] ?? message }
  if (name === 'MissingFieldsException') {
    return {
      code: 'COMMAND_PREPROCESSING_FAILED',
      reason: message.replace('Missing field:', 'Missing non-optional fields:'),
    }
  }
  if (name === 'UnexpectedFieldsException') {
    // The API writes the names one after the other.
    const reason = message.replace(/(?:Hash)?Set\((.*)\)$/s, (_: string, names: string) => names.replaceAll(', ', ''))
    return { code: 'INVALID_ARGUMENT', reason }
  }
  const isShown = ['IncorrectVariantRepresentationException', 'NumberFormatException'].includes(name)
  return { code: 'INVALID_ARGUMENT', reason: isShown ? message : '' }
}

/** `expected` tells which parts count. */
export function answerText(answer: JsonAnswer, expected = answer): string {
  if ('json' in answer) return answer.json
  const isTextShown = 'json' in expected || expected.reason !== ''
  return JSON.stringify([answer.code, isTextShown ? answer.reason : ''])
}
