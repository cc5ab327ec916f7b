// Pages of a list that goes on from token to token: forward, and back through the tokens that were used.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button } from './button.tsx'

export type Paging = {
  /** Of the page that is shown; undefined for the first. */
  readonly token: string | undefined
  readonly isFirst: boolean
  forward(next: string): void
  back(): void
}

/** Begins again whenever one of `inputs` changes. */
export function usePaging(inputs: readonly unknown[]): Paging {
  const used = useSignal<readonly string[]>([])
  useEffect(() => {
    used.value = []
  }, inputs)
  return {
    token: used.value.at(-1),
    isFirst: used.value.length === 0,
    forward(next) {
      used.value = [...used.value, next]
    },
    back() {
      used.value = used.value.slice(0, -1)
    },
  }
}

export function Pager({ paging, next }: { readonly paging: Paging; readonly next: string | undefined }) {
  if (paging.isFirst && next === undefined) return null
  return (
    <div class="pager">
      <Button disabled={paging.isFirst} onClick={paging.back}>
        Back
      </Button>
      <Button disabled={next === undefined} onClick={() => next !== undefined && paging.forward(next)}>
        Next
      </Button>
    </div>
  )
}
