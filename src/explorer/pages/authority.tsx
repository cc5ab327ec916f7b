// What to do about parties: those whose authority a refused command lacks, and those that the token may not act as.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ApiError } from '../api/api-error.ts'
import { grant, readUser } from '../api/people.ts'
import { missingAuthorizers } from '../api/required-actors.ts'
import { Button } from '../parts/button.tsx'
import { hintOf, Parties } from '../parts/names.tsx'
import { Problem } from '../parts/problem.tsx'
import { mayActAs, refreshSession, session } from '../state/session.ts'
import { toastError } from '../state/toasts.ts'

export type RefusedProps = {
  readonly error: unknown
  readonly actAs: readonly string[]
  /** Who has to act, as far as it is known. */
  readonly required: readonly string[]
  readonly onAdd: (parties: readonly string[]) => void
}

/** A refusal; if authority is missing, first whose it is, and a click adds them. */
export function RefusedCommand(props: RefusedProps) {
  const { error } = props
  // A right was revoked since the page has read them: the form then says which.
  useEffect(() => {
    if (error instanceof ApiError && error.status === 403) refreshSession().catch(toastError)
  }, [error])
  return (
    <div class="stack">
      <MissingAuthority {...props} />
      <Problem error={error} />
    </div>
  )
}

function MissingAuthority({ error, actAs, required, onAdd }: RefusedProps) {
  const missing = missingAuthorizers(error, required).filter((party) => !actAs.includes(party))
  if (missing.length === 0) return null
  const addable = missing.filter(mayActAs)
  const others = missing.filter((party) => !mayActAs(party))
  return (
    <div class="offer">
      <p>
        <Parties ids={missing} /> {missing.length === 1 ? 'has' : 'have'} to authorise it, too.
        {others.length > 0 && ` Your token may not act as ${namesOf(others)}.`}
      </p>
      {addable.length > 0 && (
        <Button kind="primary" icon="plus" onClick={() => onAdd(addable)}>
          Add {namesOf(addable)} to Act as
        </Button>
      )}
    </div>
  )
}

type ForbiddenProps = {
  readonly parties: readonly string[]
  readonly onRemove: (parties: readonly string[]) => void
}

/** The node would refuse the command: the token has no right to act as these. */
export function ForbiddenActors({ parties, onRemove }: ForbiddenProps) {
  const isBusy = useSignal(false)
  const { userId, isAdmin, isStoredUser } = session.value
  if (parties.length === 0) return null

  async function allow(): Promise<void> {
    isBusy.value = true
    try {
      const user = await readUser(userId!)
      for (const party of parties) await grant(user, { kind: { CanActAs: { value: { party } } } })
      await refreshSession()
    } catch (error) {
      toastError(error)
    }
    isBusy.value = false
  }

  return (
    <div class="offer" role="status">
      <p>
        {userId ?? 'Your token'} may not act as <Parties ids={parties} />.
      </p>
      <div class="row">
        {isAdmin && isStoredUser && (
          <Button kind="primary" disabled={isBusy.value} onClick={() => void allow()}>
            Let {userId} act as {namesOf(parties)}
          </Button>
        )}
        <Button onClick={() => onRemove(parties)}>Remove {namesOf(parties)}</Button>
      </div>
    </div>
  )
}

const namesShown = 3

function namesOf(parties: readonly string[]): string {
  const names = parties.slice(0, namesShown).map(hintOf)
  return parties.length > namesShown ? `${names.join(', ')} and others` : names.join(' and ')
}
