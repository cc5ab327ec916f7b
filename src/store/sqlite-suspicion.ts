// What happens after SQLite called a database malformed. It says so of a page that is damaged, and in the same words of one
// that the disk did not read (EIO), perhaps for a moment only. So the whole file is checked by another process; until it
// has answered, nothing is written.
import type { Clock, Timer } from '../base/clock.ts'

export type Verdict =
  | { readonly kind: 'whole' }
  /** The file can be read, and two looks found the same. */
  | { readonly kind: 'damaged'; readonly problem: string }
  /** Says nothing about the data. */
  | { readonly kind: 'unreadable'; readonly problem: string }

export type Look = {
  readonly verdict: Promise<Verdict>
  end(): Promise<void>
}

export type Suspicion = {
  /** Has the file looked at after a pause, and again while it cannot be read. Does nothing while that is under way. */
  raise(): void
  close(): Promise<void>
}

type Parts = {
  readonly clock: Clock
  readonly look: () => Look
  readonly onVerdict: (verdict: Verdict) => void
}

/** A look reads the whole file, so pauses grow while looks do not help. */
const pauseMsMin = 500
const pauseMsMax = 300_000
/** A file that was whole for this long is trusted as at the start. */
const forgottenAfterMs = 3_600_000

export function createSuspicion({ clock, look, onVerdict }: Parts): Suspicion {
  let pauseMs = pauseMsMin
  let lastLookMs = Number.NEGATIVE_INFINITY
  let timer: Timer | undefined
  let looking: Look | undefined
  let isClosed = false

  function later(): void {
    timer = clock.after(pauseMs, () => {
      timer = undefined
      void judge()
    })
    pauseMs = Math.min(2 * pauseMs, pauseMsMax)
  }

  async function judge(): Promise<void> {
    looking = look()
    const verdict = await looking.verdict
    looking = undefined
    lastLookMs = clock.elapsedMs()
    if (isClosed) return
    if (verdict.kind === 'unreadable') later()
    onVerdict(verdict)
  }

  return {
    raise() {
      if (isClosed || timer !== undefined || looking !== undefined) return
      if (clock.elapsedMs() - lastLookMs > forgottenAfterMs) pauseMs = pauseMsMin
      later()
    },
    async close() {
      isClosed = true
      timer?.cancel()
      await looking?.end()
    },
  }
}
