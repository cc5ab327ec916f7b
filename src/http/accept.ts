// What a client wants to be answered with: its Accept header against what there is.

/** Whether it takes `type`, or has said nothing about it. */
export function accepts(accept: string | undefined, type: string | undefined): boolean {
  if (accept === undefined || accept === '' || accept === '*/*' || type === undefined) return true
  return rangesOf(accept).some(([range, quality]) => quality > 0 && ['*/*', 'application/*', type].includes(range))
}

/** Whether it names `type`, and names `other` only as a second choice if at all. */
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
