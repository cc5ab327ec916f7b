// Which of the twelve colours a party gets: not that of another party as long as there are colours left.
// styles/tokens.css has the colours.
export const hueCount = 12

export type Hues = ReadonlyMap<string, number>

/**
 * The one of before, if no party on the page has it by now; else the one that its name suggests; else the next that is
 * used least. Parties of earlier visits keep theirs if they are of the same ledger, which shows in their namespace.
 */
export function chooseHue(party: string, onPage: Hues, before: Hues): number {
  const uses = new Array<number>(hueCount).fill(0)
  for (const hue of onPage.values()) uses[hue]! += 1
  const own = before.get(party)
  if (own !== undefined && own < hueCount && uses[own] === 0) return own
  for (const [other, hue] of before) {
    if (other !== party && !onPage.has(other) && namespaceOf(other) === namespaceOf(party)) uses[hue]! += 1
  }
  const least = Math.min(...uses)
  const wish = hashOf(party) % hueCount
  for (let step = 0; step < hueCount; step += 1) {
    const hue = (wish + step) % hueCount
    if (uses[hue] === least) return hue
  }
  return wish
}

const namespaceOf = (party: string): string => party.split('::')[1] ?? ''

function hashOf(text: string): number {
  let hash = 0
  for (let index = 0; index < text.length; index += 1) hash = (hash * 31 + text.charCodeAt(index)) >>> 0
  return hash
}
