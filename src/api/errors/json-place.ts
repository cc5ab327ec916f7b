// Where a text stops being JSON, for a hint: line, column and the likely reason. Small texts only, because finding the
// place may take several attempts to parse.
export const placeCharactersMax = 16 * 1024

export function notJsonHint(text: string): string {
  if (text.trim() === '') return 'this operation takes a JSON body; {} is the smallest'
  if (/^[\w.[\]-]+=[^{]*$/.test(text.slice(0, 1000)))
    return `this is a form; send JSON, as in {"${text.split('=')[0]}": ...}`
  if (text.length > placeCharactersMax) return 'the body is not JSON'
  const position = positionOf(text)
  const before = text.slice(0, position)
  const line = before.split('\n').length
  const column = position - before.lastIndexOf('\n')
  return `not JSON at line ${line}, column ${column}: ${reasonAt(text, position)}`
}

function reasonAt(text: string, position: number): string {
  const found = text[position]
  if (position >= text.length) return 'the text ends too early'
  if (found === "'" || found === '“' || found === '”') return 'texts and names have double quotes (")'
  const before = text.slice(0, position).trimEnd()
  if ((found === '}' || found === ']') && before.endsWith(',')) return `there is a comma before ${found}`
  if (found === '"') return 'a comma is missing before it'
  if (text.startsWith('//', position) || text.startsWith('/*', position)) return 'JSON has no comments'
  if (/[A-Za-z_$]/.test(found!)) return `\`${/^[\w$]{1,30}/.exec(text.slice(position))![0]}\` needs double quotes`
  return `unexpected ${JSON.stringify(found)}`
}

/** V8 tells the position of some mistakes. For others: the longest beginning whose only fault is that it ends. */
function positionOf(text: string): number {
  const told = positionIn(text)
  if (told !== undefined) return told
  let [good, bad] = [0, text.length]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (endsTooEarly(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return good
}

/** Undefined if the message does not tell it. */
function positionIn(text: string): number | undefined {
  const message = messageOf(text)
  if (message === undefined || message.startsWith('Unexpected end of JSON')) return text.length
  const match = /at position (\d+)/.exec(message)
  return match === null ? undefined : Number(match[1])
}

const endsTooEarly = (text: string): boolean => (positionIn(text) ?? -1) >= text.length

function messageOf(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
