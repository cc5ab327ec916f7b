// Uploads a DAR that is dropped or chosen, and says what the checks found.
import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { uploadDar } from '../api/packages.ts'
import { Icon } from '../parts/icon.tsx'
import { Problem } from '../parts/problem.tsx'
import { bytesText } from '../parts/quantities.ts'

type State =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'checking'; readonly name: string }
  | { readonly kind: 'accepted'; readonly name: string; readonly bytes: number }
  | { readonly kind: 'refused'; readonly name: string; readonly error: unknown }

export function DarUpload({ onUploaded }: { readonly onUploaded: () => void }) {
  const id = useId()
  const state = useSignal<State>({ kind: 'waiting' })
  const isOver = useSignal(false)

  async function upload(file: File | undefined): Promise<void> {
    if (file === undefined || state.peek().kind === 'checking') return
    const { name, size: bytes } = file
    state.value = { kind: 'checking', name }
    try {
      await uploadDar(file)
      state.value = { kind: 'accepted', name, bytes }
      onUploaded()
    } catch (error) {
      state.value = { kind: 'refused', name, error }
    }
  }

  // On the whole page: beside it, a browser would leave the page and open the file.
  useEffect(() => {
    const over = (event: DragEvent) => {
      event.preventDefault()
      isOver.value = true
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) isOver.value = false // It has left the window.
    }
    const drop = (event: DragEvent) => {
      event.preventDefault()
      isOver.value = false
      void upload(event.dataTransfer?.files[0])
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [])

  return (
    <section class={isOver.value ? 'drop over' : 'drop'} aria-label="Upload a DAR">
      <div class="drop-words">
        <Icon name="box" />
        <span>Drop a DAR on this page, or</span>
        <label class="button plain" for={id}>
          Choose a file
          <input
            id={id}
            class="unseen"
            type="file"
            accept=".dar"
            onChange={(event) => {
              void upload(event.currentTarget.files?.[0])
              event.currentTarget.value = ''
            }}
          />
        </label>
      </div>
      <Verdict state={state.value} />
    </section>
  )
}

function Verdict({ state }: { readonly state: State }) {
  switch (state.kind) {
    case 'waiting':
      return null
    case 'checking':
      return <p role="status">Checking {state.name}…</p>
    case 'accepted':
      return (
        <p role="status" class="accepted">
          <Icon name="check" /> {state.name} ({bytesText(state.bytes)}) is well typed, compatible with its earlier
          versions, and vetted.
        </p>
      )
    case 'refused':
      return (
        <>
          <p>{state.name} was refused. Nothing has changed.</p>
          <Problem error={state.error} />
        </>
      )
  }
}
