// Says on every page that the ledger is a fork, so that nobody takes it for the participant that it comes from.
import type { ForkStatus } from '../api/fork.ts'
import { fork } from '../state/fork.ts'

export function ForkMark() {
  const known = fork.value
  if (known === null) return null
  return (
    <p class="fork-mark">
      <strong>Fork</strong> of <span class="mono">{known.participantId}</span> {stateOf(known)}
    </p>
  )
}

function stateOf({ offset, followedTo, isFollowing, reason }: ForkStatus): string {
  if (isFollowing) return `up to offset ${followedTo}, following${reason === '' ? '' : ` (not now: ${reason})`}`
  const place = followedTo === offset ? `at offset ${offset}` : `up to offset ${followedTo}`
  return reason === '' ? place : `${place}; ${reason}`
}
