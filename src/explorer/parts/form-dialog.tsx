// A dialog with a form: sends it, shows the refusal beside the fields, and closes when it was accepted.
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Problem } from './problem.tsx'

type Props = {
  readonly title: string
  /** The words on the button that sends it. */
  readonly action: string
  readonly onSubmit: () => Promise<void>
  readonly onClose: () => void
  readonly isIncomplete?: boolean
  readonly children: ComponentChildren
}

export function FormDialog({ title, action, onSubmit, onClose, isIncomplete = false, children }: Props) {
  const error = useSignal<unknown>(undefined)
  const isSending = useSignal(false)

  async function send(): Promise<void> {
    isSending.value = true
    error.value = undefined
    try {
      await onSubmit()
      onClose()
    } catch (refusal) {
      error.value = refusal
      isSending.value = false
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isIncomplete && !isSending.peek()) void send()
        }}
      >
        {children}
        {error.value !== undefined && <Problem error={error.value} />}
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={isIncomplete || isSending.value}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
