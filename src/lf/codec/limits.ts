// Limits of values on the ledger: nested no more than 100 deep, and text only that can be written as UTF-8 (Canton:
// Value.MAXIMUM_NESTING, data/Text.scala). Values inside a computation may exceed both.

export const nestingMax = 100

/** Why a text cannot be on the ledger, in Canton's words. */
export function textProblem(text: string): string | undefined {
  const isWell = text.isWellFormed()
  if (isWell && !text.includes('\0')) return undefined
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 0) return 'Text contains null character'
    if (isWell || unit < 0xd800 || unit > 0xdfff) continue
    if (unit >= 0xdc00) return 'Text contains unpaired low surrogate'
    const next = text.charCodeAt(index + 1)
    if (!(next >= 0xdc00 && next <= 0xdfff)) return 'Text contains unpaired high surrogate'
    index++
  }
  return undefined
}
