// The pages that people see: the form to sign in, with the ids of Keycloak's so that scripts find it, and short messages.

const style = `body{font:16px system-ui,sans-serif;max-width:22rem;margin:4rem auto;padding:0 1rem;color:#1b1b1f;background:#fff}
label{display:block;margin:1rem 0 .25rem}input{box-sizing:border-box;width:100%;padding:.5rem;font:inherit}
button{margin-top:1.5rem;padding:.5rem 1.5rem;font:inherit}#input-error{color:#a40000}
@media(prefers-color-scheme:dark){body{color:#e6e6ea;background:#1b1b1f}#input-error{color:#ff9a9a}}`

/** The form comes back to `action`. */
export function loginPage(realm: string, action: string, problem?: string): string {
  const message = problem === undefined ? '' : `<p id="input-error" role="alert">${escaped(problem)}</p>`
  return page(
    `Sign in to ${realm}`,
    `<p>An issuer for tests: its passwords are no secrets.</p>
${message}<form id="kc-form-login" method="post" action="${escaped(action)}">
<label for="username">Username or email</label><input id="username" name="username" autocomplete="username" autofocus>
<label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password">
<button id="kc-login" name="login" type="submit">Sign in</button>
</form>`,
  )
}

export function messagePage(title: string, message: string): string {
  return page(title, `<p id="kc-error-message">${escaped(message)}</p>`)
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title>
<style>${style}</style></head>
<body><h1>${escaped(title)}</h1>
${content}
</body></html>
`
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
