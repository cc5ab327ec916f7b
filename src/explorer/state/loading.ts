// Reads whose outcome a page shows: each new read replaces the one before, and ends with the page.
import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

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
