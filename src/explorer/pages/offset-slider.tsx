// Any offset of the past, by a slider: the contracts that were active then.
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { readSummaries } from '../api/update-summaries.ts'
import { Button } from '../parts/button.tsx'
import { Time } from '../parts/names.tsx'
import { ledgerEnd } from '../state/ledger.ts'
import { useLoaded } from '../state/loading.ts'
import { query, setQuery } from '../state/location.ts'
import { maySee, readers, updateFormat } from '../state/party-view.ts'

const pauseMs = 120

export function OffsetSlider() {
  const end = ledgerEnd.value ?? 0
  const isDisabled = ledgerEnd.value === undefined
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
      setQuery({ at: offset >= end ? undefined : String(offset), page: undefined })
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
        disabled={isDisabled}
        onInput={(event) => drag(Number(event.currentTarget.value))}
      />
      <input
        type="number"
        aria-label="Exact offset"
        min={0}
        max={end}
        value={at}
        disabled={isDisabled}
        onInput={(event) => drag(Math.min(end, Math.max(0, Math.floor(Number(event.currentTarget.value)))))}
      />
      {chosen !== null && <TimeAt offset={Number(chosen)} />}
      {chosen !== null && (
        <Button kind="quiet" onClick={() => setQuery({ at: undefined, page: undefined })}>
          Now
        </Button>
      )}
    </div>
  )
}

/** When the last update that the reader sees up to the offset was recorded. */
function TimeAt({ offset }: { readonly offset: number }) {
  const { value } = useLoaded(
    async (signal) =>
      maySee.peek() ? readSummaries({ format: updateFormat(), upTo: offset, size: 1 }, signal) : undefined,
    [offset, readers.value?.join()],
  ).value
  const time = value?.updates[0]?.recordTime
  return <span class="faint">{time !== undefined && <Time iso={time} />}</span>
}
