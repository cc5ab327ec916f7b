// Who sees something: a dot in each party's colour, with the names for those who do not see colours.
import { hintOf, hueOf } from './names.tsx'

const dotsShown = 12

export function Witnesses({ parties }: { readonly parties: readonly string[] }) {
  const names = `Seen by ${parties.map(hintOf).join(', ')}`
  return (
    <span class="witnesses" title={names}>
      <span class="unseen">{names}</span>
      {parties.slice(0, dotsShown).map((party) => (
        <span key={party} class={`dot hue-${hueOf(party)}`} aria-hidden="true" />
      ))}
      {parties.length > dotsShown && <span class="faint">+{parties.length - dotsShown}</span>}
    </span>
  )
}
