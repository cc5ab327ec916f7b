// A token for a user, with the rights that the user has: a development node signs it.
import { useSignal } from '@preact/signals'
import { issueToken } from '../api/people.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { SelectField } from '../parts/fields.tsx'
import { toastError } from '../state/toasts.ts'

const lifetimes = [
  ['1h', 'one hour'],
  ['1d', 'one day'],
  ['7d', 'one week'],
  ['unlimited', 'without end'],
] as const

export function UserToken({ userId }: { readonly userId: string }) {
  const lifetime = useSignal('1h')
  const token = useSignal<string | undefined>(undefined)

  async function issue(): Promise<void> {
    try {
      token.value = await issueToken(userId, lifetime.value)
    } catch (error) {
      toastError(error)
    }
  }

  return (
    <section class="panel">
      <h2>Token</h2>
      <div class="panel-body stack">
        <div class="token-order">
          <SelectField
            label="Valid for"
            value={lifetime.value}
            options={lifetimes}
            onChange={(next) => {
              lifetime.value = next
            }}
          />
          <Button onClick={() => void issue()}>Issue a token</Button>
        </div>
        {token.value !== undefined && (
          <div>
            <pre class="token">{token.value}</pre>
            <CopyButton label="Copy" text={token.value} what="the token" />
          </div>
        )}
      </div>
    </section>
  )
}
