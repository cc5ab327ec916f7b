// One line at the bottom of a terminal that says what is going on, and is gone when there is more to say.

export type StatusLine = {
  /** Replaces the line; an empty text removes it. */
  show(text: string): void
}

type Terminal = { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown }

const backToStart = '\r'
const eraseToEnd = '\u001b[K'

/** Shows nothing unless people watch: elsewhere a line that changes becomes many. */
export function createStatusLine(terminal: Terminal, isCi: boolean): StatusLine {
  if (!terminal.isTTY || isCi) return { show: () => undefined }
  let isShown = false
  return {
    show(text) {
      if (text === '' && !isShown) return
      const width = Math.max(1, (terminal.columns ?? 80) - 1) // A full line would wrap.
      terminal.write(`${backToStart}${text.slice(0, width)}${eraseToEnd}`)
      isShown = text !== ''
    },
  }
}
