// What keeps a form from being sent, each with the way to its field.

export type Missing = { readonly words: string; readonly focus: () => void }

const missingShown = 6

export function MissingList({ missing }: { readonly missing: readonly Missing[] }) {
  return (
    <ul class="missing">
      {missing.slice(0, missingShown).map(({ words, focus }) => (
        <li key={words}>
          <button type="button" class="plain-link" onClick={focus}>
            {words}
          </button>
        </li>
      ))}
      {missing.length > missingShown && <li class="faint">and {missing.length - missingShown} more</li>}
    </ul>
  )
}
