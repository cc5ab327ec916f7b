// Short messages about what just happened. Errors stay until they are dismissed.
import { signal } from '@preact/signals'
import { ApiError } from '../api/api-error.ts'

export type ToastAction = { readonly words: string; readonly run: () => void }
export type Toast = {
  readonly id: number
  readonly kind: 'done' | 'error'
  readonly text: string
  readonly action?: ToastAction | undefined
}

const shownMs = 5_000
/** There is something to decide. */
const actionShownMs = 20_000
const toastsMax = 4
let count = 0

export const toasts = signal<readonly Toast[]>([])

export function toast(text: string, kind: Toast['kind'] = 'done', action?: ToastAction): void {
  count += 1
  const id = count
  toasts.value = [...toasts.value, { id, kind, text, action }].slice(-toastsMax)
  if (kind === 'done') setTimeout(() => dismiss(id), action === undefined ? shownMs : actionShownMs)
}

export function toastError(error: unknown): void {
  const words =
    error instanceof ApiError ? `${error.code}: ${error.message}` : String((error as Error).message ?? error)
  toast(words, 'error')
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((one) => one.id !== id)
}
