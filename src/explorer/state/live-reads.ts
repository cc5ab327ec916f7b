// Reads that follow the ledger, or the time: one at a time. Those of the ledger have pauses that grow with what a read takes,
// so a list stays alive on a node whose answers take longer than the ledger stands still, and costs the node a bounded share
// of its time. What a busy or silent node did not answer is read again.
import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { isBusy, isOffline } from '../api/api-error.ts'
import type { Loaded } from './loading.ts'

/** A reader waits this many times as long as the last read took, but not longer than somebody who watches would. */
const pausePerRead = 4
const pauseMaxMs = 2_000

export type LiveReads = {
  /** Reads, unless it has read at this moment: at once, or after the read and the pause under way. */
  follow(moment: unknown): void
  stop(): void
}

/** `read` tells whether to read once more. */
export function createLiveReads(read: () => Promise<boolean>, pause: (ms: number) => Promise<void>): LiveReads {
  let [isDue, isReading, isStopped] = [false, false, false]
  let last: { readonly moment: unknown } | undefined

  async function run(): Promise<void> {
    isReading = true
    while (isDue && !isStopped) {
      isDue = false
      const startedMs = performance.now()
      const isOnceMore = await read()
      const pauseMs = (performance.now() - startedMs) * pausePerRead
      await pause(isOnceMore ? Math.max(pauseMs, pauseMaxMs) : Math.min(pauseMs, pauseMaxMs))
      isDue ||= isOnceMore
    }
    isReading = false
  }

  return {
    follow(moment) {
      if (last !== undefined && last.moment === moment) return
      last = { moment }
      isDue = true
      if (!isReading && !isStopped) void run()
    },
    stop() {
      isStopped = true
    },
  }
}

/** Like `useLoaded`, and reads again when `moment` changes, without giving up the read under way. */
export function useLive<T>(
  read: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  moment: unknown,
): ReadonlySignal<Loaded<T>> {
  const loaded = useSignal<Loaded<T>>({ value: undefined, error: undefined, isLoading: true })
  const latest = useRef(read)
  latest.current = read
  const reads = useRef<LiveReads>(undefined)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const own = createLiveReads(
      () =>
        latest.current(signal).then(
          (value) => {
            if (!signal.aborted) loaded.value = { value, error: undefined, isLoading: false }
            return false
          },
          (error) => {
            if (!signal.aborted) loaded.value = { ...loaded.peek(), error, isLoading: false }
            return isOffline(error) || isBusy(error)
          },
        ),
      (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    )
    reads.current = own
    own.follow(moment)
    return () => {
      own.stop()
      controller.abort()
    }
  }, inputs)
  useEffect(() => reads.current?.follow(moment), [moment])
  return loaded
}

/** Reads while the page is visible: now, and this long after each read has ended. `read` deals with its failures. */
export function useRegularReads(
  read: (signal: AbortSignal) => Promise<void>,
  pauseMs: number,
  inputs: readonly unknown[],
): void {
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let timer: ReturnType<typeof setTimeout> | undefined
    const readNow = async () => {
      if (!document.hidden) await read(signal)
      if (!signal.aborted) timer = setTimeout(() => void readNow(), pauseMs)
    }
    void readNow()
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, inputs)
}
