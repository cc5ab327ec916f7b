// What a command would do, beside its form, while one fills it in. An administrator of a development node sees the whole
// outcome. Others learn whether the node would accept it: for them it is prepared as if somebody were to sign it.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type DryRun, dryRun, prepare, type Submission } from '../api/acting.ts'
import { Icon } from '../parts/icon.tsx'
import { type Missing, MissingList } from '../parts/missing-list.tsx'
import { session } from '../state/session.ts'
import { RefusedCommand, type RefusedProps } from './authority.tsx'
import { DryRunOutcome } from './dry-run-outcome.tsx'

const pauseMs = 300

type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'whole'; readonly value: DryRun }
  | { readonly kind: 'accepted' }
  | { readonly kind: 'refused'; readonly error: unknown }

type Props = {
  readonly submission: Submission
  /** What keeps it from being tried. */
  readonly missing: readonly Missing[]
  readonly authority: Omit<RefusedProps, 'error'>
}

export function DryRunPanel({ submission, missing, authority }: Props) {
  const isReady = missing.length === 0
  const outcome = useSignal<Outcome>({ kind: 'none' })
  useEffect(() => {
    if (!isReady) {
      outcome.value = { kind: 'none' }
      return
    }
    const controller = new AbortController()
    const timer = setTimeout(() => {
      tried(submission, controller.signal).then(
        (found) => {
          outcome.value = found
        },
        (error) => {
          if (!controller.signal.aborted) outcome.value = { kind: 'refused', error }
        },
      )
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [JSON.stringify(submission), isReady])
  return (
    <section class="panel" aria-label="Dry run">
      <h2>What it would do</h2>
      <div class="panel-body" aria-live="polite">
        {isReady ? <Shown outcome={outcome.value} authority={authority} /> : <MissingList missing={missing} />}
      </div>
    </section>
  )
}

async function tried(submission: Submission, signal: AbortSignal): Promise<Outcome> {
  const { isDevelopment, isAdmin } = session.peek()
  if (isDevelopment && isAdmin) return { kind: 'whole', value: await dryRun(submission, signal) }
  await prepare(submission, signal)
  return { kind: 'accepted' }
}

function Shown({ outcome, authority }: Pick<Props, 'authority'> & { readonly outcome: Outcome }) {
  switch (outcome.kind) {
    case 'whole':
      return <DryRunOutcome outcome={outcome.value} />
    case 'accepted':
      return (
        <p class="accepted">
          <Icon name="check" /> The node would accept it. Nothing has been recorded.
        </p>
      )
    case 'refused':
      return <RefusedCommand error={outcome.error} {...authority} />
    case 'none':
      return <p class="faint">Trying it, without recording anything…</p>
  }
}
