// Light, dark, or as the system has it.
import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'
const storageKey = 'tallystick-theme'
const themes: readonly Theme[] = ['system', 'light', 'dark']

export const theme = signal<Theme>(themes.find((name) => name === localStorage.getItem(storageKey)) ?? 'system')

effect(() => {
  if (theme.value === 'system') {
    localStorage.removeItem(storageKey)
    document.documentElement.removeAttribute('data-theme')
  } else {
    localStorage.setItem(storageKey, theme.value)
    document.documentElement.setAttribute('data-theme', theme.value)
  }
})

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.peek()) + 1) % themes.length]!
}
