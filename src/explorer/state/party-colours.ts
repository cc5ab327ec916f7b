// The colours of parties: the same on every page, and on a development node at every visit. On other nodes they are forgotten
// with the tab: names of parties are nobody else's business there.
import { chooseHue, hueCount } from '../api/party-hues.ts'
import { browserStorage } from './session.ts'

/** Of the parties that were seen last. */
const rememberedMax = 300
const storageKey = 'tallystick-party-colours'

/** Those of this page, and those of earlier visits, least recently seen first. */
const shown = new Map<string, number>()
let remembered: Map<string, number> | undefined

export function hueOf(party: string): number {
  const known = shown.get(party)
  if (known !== undefined) return known
  remembered ??= read()
  const hue = chooseHue(party, shown, remembered)
  shown.set(party, hue)
  remembered.delete(party)
  remembered.set(party, hue)
  while (remembered.size > rememberedMax) remembered.delete(remembered.keys().next().value!)
  browserStorage().setItem(storageKey, JSON.stringify([...remembered]))
  return hue
}

function read(): Map<string, number> {
  try {
    const pairs = JSON.parse(browserStorage().getItem(storageKey) ?? '[]') as [string, number][]
    return new Map(pairs.filter(([party, hue]) => typeof party === 'string' && hue >= 0 && hue < hueCount))
  } catch {
    return new Map() // Somebody else wrote there.
  }
}
