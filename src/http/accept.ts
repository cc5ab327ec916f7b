// Content negotiation: the Accept header against the types a route offers.

/** Whether the client accepts `type`; without a header it accepts anything. */
export function accepts(accept: string | undefined, type: string | undefined): boolean {
  if (accept === undefined || accept === '' || accept === '*/*' || type === undefined) return true
  return rangesOf(accept).some(([range, quality]) => quality > 0 && ['*/*', 'application/*', type].includes(range))
}

/** Whether the header names `type`, with a higher quality than `other`. */
export function prefers(accept: string | undefined, type: string, other: string): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(type)) return false
  const ranges = new Map(rangesOf(accept))
  return (ranges.get(type) ?? 0) > (ranges.get(other) ?? 0)
}

function rangesOf(accept: string): [range: string, quality: number][] {
  return accept.split(',').map((part) => {
    const [range, ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    return [range!, quality === undefined ? 1 : Number(quality) || 0]
  })
}
