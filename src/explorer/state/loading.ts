// Reads whose outcome a page shows: each new read replaces the one before, and ends with the page.
import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'

export type Loaded<T> = {
  /** Kept while a newer one is read. */
  readonly value: T | undefined
  readonly error: unknown
  readonly isLoading: boolean
}

/** Reads again whenever one of `inputs` changes. */
export function useLoaded<T>(
  read: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): ReadonlySignal<Loaded<T>> {
  const loaded = useSignal<Loaded<T>>({ value: undefined, error: undefined, isLoading: true })
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    loaded.value = { ...loaded.peek(), error: undefined, isLoading: true }
    read(signal).then(
      (value) => {
        if (!signal.aborted) loaded.value = { value, error: undefined, isLoading: false }
      },
      (error) => {
        if (!signal.aborted) loaded.value = { value: undefined, error, isLoading: false }
      },
    )
    return () => controller.abort()
  }, inputs)
  return loaded
}

/**
 * Reads again whenever one of `inputs` changes, and also when `tick` does; but a read that is under way is then finished
 * first. So a list that takes longer to read than the ledger to grow is behind, and not empty.
 */
export function useLive<T>(
  read: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  tick: unknown,
): ReadonlySignal<Loaded<T>> {
  const loaded = useSignal<Loaded<T>>({ value: undefined, error: undefined, isLoading: true })
  const latest = useRef(read)
  latest.current = read
  const course = useRef<Course>(undefined)

  async function run(own: Course): Promise<void> {
    own.isBusy = true
    do {
      own.isBehind = false
      try {
        const value = await latest.current(own.signal)
        if (!own.signal.aborted) loaded.value = { value, error: undefined, isLoading: false }
      } catch (error) {
        if (!own.signal.aborted) loaded.value = { ...loaded.peek(), error, isLoading: false }
      }
    } while (own.isBehind && !own.signal.aborted)
    own.isBusy = false
  }

  useEffect(() => {
    const controller = new AbortController()
    const own: Course = { signal: controller.signal, isBusy: false, isBehind: false, tick }
    course.current = own
    loaded.value = { ...loaded.peek(), error: undefined, isLoading: true }
    void run(own)
    return () => controller.abort()
  }, inputs)
  useEffect(() => {
    const own = course.current!
    if (own.tick === tick) return
    own.tick = tick
    if (own.isBusy) own.isBehind = true
    else void run(own)
  }, [tick])
  return loaded
}

type Course = { readonly signal: AbortSignal; isBusy: boolean; isBehind: boolean; tick: unknown }
