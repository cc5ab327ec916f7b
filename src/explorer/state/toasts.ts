// Short messages about what just happened. Errors stay until they are dismissed.
import { signal } from '@preact/signals'
import { ApiError } from '../api/api-error.ts'

export type Toast = { readonly id: number; readonly kind: 'done' | 'error'; readonly text: string }

const shownMs = 5_000
const toastsMax = 4
let count = 0

export const toasts = signal<readonly Toast[]>([])

export function toast(text: string, kind: Toast['kind'] = 'done'): void {
  count += 1
  const id = count
  toasts.value = [...toasts.value, { id, kind, text }].slice(-toastsMax)
  if (kind === 'done') setTimeout(() => dismiss(id), shownMs)
}

export function toastError(error: unknown): void {
  const words =
    error instanceof ApiError ? `${error.code}: ${error.message}` : String((error as Error).message ?? error)
  toast(words, 'error')
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id)
}
