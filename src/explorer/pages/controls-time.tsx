// The ledger time, and moving it forward.
import { useSignal } from '@preact/signals'
import { moveTime, readTime } from '../api/development.ts'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/fields.tsx'
import { Time } from '../parts/names.tsx'
import { Problem } from '../parts/problem.tsx'
import { ledgerEpoch } from '../state/ledger.ts'
import { useRegularReads } from '../state/live-reads.ts'
import { toast } from '../state/toasts.ts'

const steps = [
  ['15m', '15 minutes'],
  ['1h', '1 hour'],
  ['1d', '1 day'],
  ['7d', '1 week'],
  ['30d', '30 days'],
] as const
const pauseMs = 1_000

export function TimePanel() {
  const now = useSignal<string | undefined>(undefined)
  const wish = useSignal('')
  const problem = useSignal<unknown>(undefined)

  useRegularReads(
    (signal) =>
      readTime(signal).then(
        (time) => {
          now.value = time
        },
        () => undefined,
      ),
    pauseMs,
    [ledgerEpoch.value],
  )

  async function move(to: Parameters<typeof moveTime>[0]): Promise<void> {
    try {
      now.value = await moveTime(to)
      problem.value = undefined
      wish.value = ''
      toast('The time was moved')
    } catch (error) {
      problem.value = error
    }
  }

  const wanted = wish.value.trim()
  return (
    <section class="panel">
      <h2>Time</h2>
      <div class="panel-body stack">
        <p class="controls-time">{now.value === undefined ? '…' : <Time iso={now.value} />}</p>
        <fieldset class="row">
          <legend class="unseen">Forward by</legend>
          {steps.map(([advance, words]) => (
            <Button key={advance} icon="arrow" onClick={() => void move({ advance })}>
              {words}
            </Button>
          ))}
        </fieldset>
        <form
          class="row bottom"
          onSubmit={(event) => {
            event.preventDefault()
            if (wanted !== '') void move(/^\d{4}-/.test(wanted) ? { set: wanted } : { advance: wanted })
          }}
        >
          <TextField
            label="By a duration, or to a time"
            value={wish.value}
            placeholder="90s, PT36H or 2030-01-01T00:00:00Z"
            onInput={(text) => {
              wish.value = text
            }}
          />
          <Button type="submit" disabled={wanted === ''}>
            Move
          </Button>
        </form>
        {problem.value !== undefined && <Problem error={problem.value} />}
      </div>
    </section>
  )
}
