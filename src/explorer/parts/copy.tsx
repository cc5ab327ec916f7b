// Copies a text, which may be made only when somebody asks for it.
import { toast, toastError } from '../state/toasts.ts'
import { Button, IconButton } from './button.tsx'

type Props = { readonly text: string | (() => string); readonly what: string }

async function copy({ text, what }: Props): Promise<void> {
  try {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
    toast(`Copied ${what}`)
  } catch (error) {
    toastError(error)
  }
}

/** A small icon beside what it copies. */
export function CopyIcon(props: Props) {
  return <IconButton icon="copy" label={`Copy ${props.what}`} onClick={() => void copy(props)} />
}

export function CopyButton({ label, ...props }: Props & { readonly label: string }) {
  return (
    <Button kind="quiet" icon="copy" onClick={() => void copy(props)}>
      {label}
    </Button>
  )
}
