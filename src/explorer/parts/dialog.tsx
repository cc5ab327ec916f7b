// Dialogs: the browser's own, which keep the focus inside and return it afterwards.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { question } from '../state/confirmation.ts'
import { Button, IconButton } from './button.tsx'

type Props = { readonly title: string; readonly onClose: () => void; readonly children: ComponentChildren }

export function Dialog({ title, onClose, children }: Props) {
  const shown = useRef<HTMLDialogElement>(null)
  const isGone = useRef(false)
  const id = useId()
  useEffect(() => {
    const dialog = shown.current!
    dialog.showModal()
    return () => {
      isGone.current = true
      dialog.close() // Returns the focus.
    }
  }, [])
  /** The browser tells a moment later that the dialog was closed: by then, another may be open in its place. */
  const closed = () => {
    if (!isGone.current) onClose()
  }
  return (
    <dialog ref={shown} aria-labelledby={id} onClose={closed}>
      <div class="dialog-head">
        <h2 id={id}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </div>
      {children}
    </dialog>
  )
}

/** Shows what state/confirmation.ts asks. */
export function Confirmation() {
  const asked = question.value
  if (asked === undefined) return null
  return (
    <Dialog title={asked.title} onClose={() => asked.answer(false)}>
      <p>{asked.text}</p>
      <div class="dialog-actions">
        <Button onClick={() => asked.answer(false)}>Cancel</Button>
        <Button kind={asked.isDangerous ? 'danger' : 'primary'} onClick={() => asked.answer(true)}>
          {asked.action}
        </Button>
      </div>
    </Dialog>
  )
}
