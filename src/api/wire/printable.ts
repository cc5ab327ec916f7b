// Client text quoted in an answer.

/** One line, bounded. */
export function printable(part: string): string {
  const shown = part.length > 200 ? `${part.slice(0, 200)}…` : part
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced.
  return shown.replaceAll(/[\u0000-\u001f\u007f]/g, ' ')
}
