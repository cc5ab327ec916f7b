// Faults on order as the node lists them, and as rows of a table.

export type Fault = {
  readonly id: number
  readonly match?: { readonly templateId: string; readonly commandId: string; readonly userId: string } | null
  readonly every: number
  readonly times: number
  readonly fail?: { readonly code: string } | null
  readonly delayMs: number
  readonly loseAnswer: boolean
  readonly endStreams: boolean
  readonly met: number
  readonly struck: number
}

export const faultTitles = ['ID', 'DOES', 'MATCHES', 'WHEN', 'MET', 'STRUCK'] as const

export function faultRow(fault: Fault): string[] {
  const { id, match, met, struck } = fault
  const matches = [
    ...(match?.templateId ? [`template ${match.templateId}`] : []),
    ...(match?.commandId ? [`command ${match.commandId}`] : []),
    ...(match?.userId ? [`user ${match.userId}`] : []),
  ]
  return [String(id), effectOf(fault), matches.join(', ') || 'all', whenOf(fault), String(met), String(struck)]
}

function effectOf({ fail, delayMs, loseAnswer }: Fault): string {
  if (fail) return `fail with ${fail.code}`
  if (delayMs > 0) return `delay by ${delayMs} ms`
  return loseAnswer ? 'lose the answer' : 'end all streams'
}

function whenOf({ every, times }: Fault): string {
  const which = every === 1 ? 'each' : `each ${every}${ordinalOf(every)}`
  if (times === 0) return `${which}, until removed`
  if (times === 1) return every === 1 ? 'the next' : `the ${every}${ordinalOf(every)}`
  return `${which}, ${times} times`
}

function ordinalOf(number: number): string {
  const isTeen = Math.floor(number / 10) % 10 === 1
  return (isTeen ? undefined : ['', 'st', 'nd', 'rd'][number % 10]) || 'th'
}
