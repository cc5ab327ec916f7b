// Why a script failed, and where, for people.
import type { ScriptFailure } from './messages.ts'

export function failureLines({ message, question, frames, definition, location, context }: ScriptFailure): string[] {
  const [innermost] = frames
  const place = innermost && `${innermost.module}:${innermost.line}:${innermost.column}`
  const asked = question === undefined ? '' : `${question}: `
  return [
    ...`${asked}${message}`.split('\n'),
    ...(location === undefined ? [] : [`at ${location}${definition === undefined ? '' : `, in ${definition}`}`]),
    ...(place === undefined ? [] : [`${question === undefined ? 'after' : 'at'} ${innermost!.definition} at ${place}`]),
    ...(context.location === undefined ? [] : [`in the model: ${context.location}, in ${context.definition}`]),
    ...(context.exercises === undefined ? [] : [`exercises: ${context.exercises}`]),
    ...(context.hint === undefined ? [] : [`hint: ${context.hint}`]),
  ]
}
