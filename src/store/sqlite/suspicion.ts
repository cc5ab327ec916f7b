// Finds out whether a database is damaged after SQLite called it malformed. SQLite says so of a damaged page, and in the
// same words of a page that the disk failed to read (EIO), perhaps only once. So another process checks the whole file;
// until it has answered, the node writes nothing.
import type { Clock, Timer } from '../../base/clock.ts'

export type Verdict =
  | { readonly kind: 'whole' }
  /** The file is readable, and two checks found the same problem. */
  | { readonly kind: 'damaged'; readonly problem: string }
  /** The file could not be read, which says nothing about its content. */
  | { readonly kind: 'unreadable'; readonly problem: string }

export type Look = {
  readonly verdict: Promise<Verdict>
  end(): Promise<void>
}

export type Suspicion = {
  /** Checks the file after a pause, and again as long as it is unreadable. Does nothing while a check is due or running. */
  raise(): void
  close(): Promise<void>
}

type Parts = {
  readonly clock: Clock
  readonly look: () => Look
  readonly onVerdict: (verdict: Verdict) => void
}

/** A check reads the whole file, so pauses grow while checks decide nothing. */
const pauseMsMin = 500
const pauseMsMax = 300_000
/** If the last check is older than this, pauses are short again. */
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
