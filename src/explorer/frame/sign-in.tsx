// For a reader without a token: asks for one.
import { useSignal } from '@preact/signals'
import { Button } from '../parts/button.tsx'
import { TextField } from '../parts/fields.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem } from '../parts/problem.tsx'
import { signIn } from '../state/session.ts'

type Props = { readonly reason: string | undefined; readonly isDevelopment: boolean }

export function SignIn({ reason, isDevelopment }: Props) {
  const token = useSignal('')
  const problem = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)

  async function submit(event: Event): Promise<void> {
    event.preventDefault()
    isBusy.value = true
    problem.value = undefined
    try {
      await signIn(token.value.trim().replace(/^Bearer\s+/i, ''))
    } catch (error) {
      problem.value = error
    }
    isBusy.value = false
  }

  return (
    <main class="sign-in" id="content">
      <p class="brand">
        <span class="tally" aria-hidden="true" />
        <span>Tallystick explorer</span>
      </p>
      <PageHead title="Sign in" />
      {reason !== undefined && <p class="notice">{reason}</p>}
      <form onSubmit={(event) => void submit(event)}>
        <TextField
          label="Token"
          rows={4}
          isMono
          value={token.value}
          onInput={(text) => {
            token.value = text
          }}
          note={`A JSON Web Token of a user of this node. ${isDevelopment ? keptByBrowser : keptByTab}`}
        />
        <Button kind="primary" type="submit" disabled={isBusy.value || token.value.trim() === ''}>
          Sign in
        </Button>
      </form>
      {problem.value !== undefined && <Problem error={problem.value} />}
      <p class="faint">
        {isDevelopment ? 'Here' : 'On a development node'}, <code>tallystick explorer</code> prints a link that signs
        in, and <code>tallystick token --party alice</code> a token for one party.
      </p>
    </main>
  )
}

const keptByTab = 'It is kept in this tab only.'
const keptByBrowser = 'It is kept in this browser until you sign out, so that other tabs are signed in, too.'
