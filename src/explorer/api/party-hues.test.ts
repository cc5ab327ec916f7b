import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { chooseHue, type Hues, hueCount } from './party-hues.ts'

const party = (hint: string, namespace = '1220aa') => `${hint}::${namespace}`
const names = ['alice', 'bob', 'bank', 'carol', 'dora', 'emil', 'fritz', 'gina', 'hugo', 'ida', 'jan', 'kim']

/** As they come, on a page that remembers nothing of them. */
function huesOf(parties: readonly string[], before: Hues = new Map()): Map<string, number> {
  const onPage = new Map<string, number>()
  for (const one of parties) onPage.set(one, chooseHue(one, onPage, before))
  return onPage
}

test('as many parties as there are colours have all of them', () => {
  const hues = huesOf(names.map((name) => party(name)))
  assert.equal(new Set(hues.values()).size, hueCount)
})

test('parties keep their colours at the next visit, in whatever order they come', () => {
  const before = huesOf(names.map((name) => party(name)))
  const after = huesOf(
    names.toReversed().map((name) => party(name)),
    before,
  )
  for (const [one, hue] of before) assert.equal(after.get(one), hue, one)
})

test('a new party does not take the colour of one that is not on the page yet', () => {
  const before = huesOf(names.slice(1).map((name) => party(name)))
  const hue = chooseHue(party('newcomer'), new Map(), before)
  assert.ok(![...before.values()].includes(hue))
})

test('the parties of another ledger take no colours away', () => {
  const others = huesOf(names.map((name) => party(name, '1220bb')))
  const hues = huesOf(
    names.map((name) => party(name)),
    others,
  )
  assert.equal(new Set(hues.values()).size, hueCount)
})

test('more parties than colours share them evenly', () => {
  const hues = huesOf(Array.from({ length: 2 * hueCount }, (_, index) => party(`party-${index}`)))
  const uses = Map.groupBy(hues.values(), (hue) => hue)
  for (const [, all] of uses) assert.equal(all.length, 2)
})

const tokens = readFileSync(new URL('../styles/tokens.css', import.meta.url), 'utf8')
type Colour = readonly [red: number, green: number, blue: number]

function pairOf(name: string): readonly [light: Colour, dark: Colour] {
  const [, light, dark] = new RegExp(`${name}:\\s*light-dark\\((#\\w+), (#\\w+)\\)`).exec(tokens)!
  return [colourOf(light!), colourOf(dark!)]
}

function colourOf(hex: string): Colour {
  const linear = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [linear(1), linear(3), linear(5)]
}

const luminance = ([red, green, blue]: Colour) => 0.2126 * red + 0.7152 * green + 0.0722 * blue

/** OKLab, in which a distance is what eyes tell apart. */
function labOf([red, green, blue]: Colour): readonly number[] {
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const middle = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  return [
    0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short,
  ]
}

test('the colours of parties are readable on every surface and can be told from each other, in both themes', () => {
  const block = (hue: number) => `\\.hue-${hue} \\{\\s*--hue`
  const hues = Array.from({ length: hueCount }, (_, hue) => pairOf(block(hue)))
  const surfaces = ['--page', '--surface', '--raised', '--sunken', '--hover', '--soft'].map(pairOf)
  for (const theme of [0, 1] as const) {
    for (const [index, hue] of hues.entries()) {
      for (const surface of surfaces) {
        const [one, other] = [luminance(hue[theme]), luminance(surface[theme])].sort((a, b) => b - a) as [
          number,
          number,
        ]
        assert.ok((one + 0.05) / (other + 0.05) >= 4.5, `hue ${index} in theme ${theme}`)
      }
      for (const [other, second] of hues.entries()) {
        if (other <= index) continue
        const [a, b] = [labOf(hue[theme]), labOf(second[theme])]
        const distance = Math.hypot(...a.map((value, at) => value - b[at]!))
        assert.ok(distance >= 0.1, `hues ${index} and ${other} in theme ${theme}: ${distance.toFixed(3)}`)
      }
    }
  }
})
