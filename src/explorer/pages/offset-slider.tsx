// Any offset of the past, by a slider: the contracts that were active then.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../parts/button.tsx'
import { ledgerEnd } from '../state/ledger.ts'
import { query, setQuery } from '../state/location.ts'

const pauseMs = 120

export function OffsetSlider() {
  const end = ledgerEnd.value ?? 0
  const chosen = query.value.get('at')
  const dragged = useSignal<number | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const at = dragged.value ?? (chosen === null ? end : Number(chosen))

  function drag(offset: number): void {
    dragged.value = offset
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      dragged.value = undefined
      setQuery({ at: offset >= end ? undefined : String(offset) })
    }, pauseMs)
  }

  return (
    <div class="slider">
      <label for="offset">At offset</label>
      <input
        id="offset"
        type="range"
        min={0}
        max={end}
        value={at}
        onInput={(event) => drag(Number(event.currentTarget.value))}
      />
      <output for="offset" class="mono">
        {at}
      </output>
      {chosen !== null && (
        <Button kind="quiet" onClick={() => setQuery({ at: undefined })}>
          Now
        </Button>
      )}
    </div>
  )
}
