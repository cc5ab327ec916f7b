// An error of the node: its code, its words, where in Daml, and what to do.
import { ApiError, isOffline } from '../api/api-error.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { shortPlace } from './names.tsx'

const shownContext: readonly [name: string, words: string][] = [
  ['definition', 'Definition'],
  ['location', 'Place in the source'],
  ['choice', 'Choice'],
  ['exercises', 'Exercises'],
  ['path', 'Field'],
  ['expected', 'Expected'],
]

type Props = { readonly error: unknown; readonly retry?: () => void }

export function Problem({ error, retry }: Props) {
  const known = error instanceof ApiError ? error : undefined
  return (
    <div class="problem" role="alert">
      <Icon name="alert" />
      <div>
        <p class="problem-title">{titleOf(error, known)}</p>
        <p>{isOffline(error) ? 'It may be stopped. The page tries again by itself.' : wordsOf(error)}</p>
        {known?.hint !== undefined && <p class="hint">{known.hint}</p>}
        <dl class="context">
          {shownContext.map(([name, words]) => {
            const value = known === undefined || !Object.hasOwn(known.context, name) ? undefined : known.context[name]
            return (
              value !== undefined && (
                <div key={name}>
                  <dt>{words}</dt>
                  <dd class="mono" title={value}>
                    {shortPlace(value)}
                  </dd>
                </div>
              )
            )
          })}
        </dl>
        {retry && (
          <Button kind="plain" onClick={retry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  )
}

/** `NA` is the code of refusals whose code is kept from clients. */
function titleOf(error: unknown, known: ApiError | undefined): string {
  if (isOffline(error)) return 'The node does not answer'
  if (known?.code === 'NA') return known.status === 401 ? 'The token is not accepted' : 'Refused'
  return known?.code ?? 'Something went wrong'
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
