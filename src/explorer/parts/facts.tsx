// Names and values beside each other: what is known about one thing.
import type { ComponentChildren } from 'preact'

export type Fact = readonly [name: string, value: ComponentChildren]

type Props = {
  readonly facts: readonly (Fact | false)[]
  /** Beside each other where there is room. */
  readonly isSpread?: boolean
}

/** Facts that are false are left out. */
export function Facts({ facts, isSpread = false }: Props) {
  return (
    <dl class={isSpread ? 'facts spread' : 'facts'}>
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
