// Leads to the same page in the explorers of the other participants of the network.
import type { ParticipantState } from '../api/network.ts'
import { Icon } from '../parts/icon.tsx'
import { explorerAt, goTo, isThisParticipant, participants } from '../state/network.ts'
import { toastError } from '../state/toasts.ts'

export function ParticipantSwitch() {
  if (participants.value.length < 2) return null
  return (
    <div class="nav-group">
      <h2>Participant</h2>
      <ul>
        {participants.value.map((one) => (
          <li key={one.participantId}>
            <Participant one={one} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function Participant({ one }: { readonly one: ParticipantState }) {
  const isHere = isThisParticipant(one)
  const inside = (
    <>
      <Icon name="monitor" />
      {one.participant}
    </>
  )
  if (one.url === '' && !isHere) {
    return (
      <span class="nav-row" title="Another process serves it">
        {inside}
      </span>
    )
  }
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    if (!isHere) void goTo(one).catch(toastError)
  }
  return (
    <a
      href={isHere ? location.href : explorerAt(one)}
      aria-current={isHere ? 'true' : undefined}
      title={one.participantId}
      onClick={follow}
    >
      {inside}
    </a>
  )
}
