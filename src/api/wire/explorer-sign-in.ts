// How the explorer of a development node gets its token, on the wire. All of it is ours.
import { message, text, timestamp } from './schema.ts'

export const signInRequest = message('SignInRequest', {
  key: text('The key in the fragment of a link that the node or `tallystick explorer` printed'),
})

export const signInResponse = message('SignInResponse', {
  token: text('A token for everything, like that of the command line'),
})

export const signInKeyResponse = message('SignInKeyResponse', {
  key: text('Belongs in the fragment of a link: /explorer#key=…'),
  expiresAt: timestamp('The link opens nothing from then on'),
})
