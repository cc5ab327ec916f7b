import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownUrl } from './shown-url.ts'

const rows: [url: string, shown: string][] = [
  ['https://keys.example/set.json', 'https://keys.example/set.json'],
  ['https://keys.example:8443', 'https://keys.example:8443/'],
  ['https://me:s3cret@keys.example/set', 'https://***@keys.example/set'],
  ['https://s3cret@keys.example/set', 'https://***@keys.example/set'],
  ['https://keys.example/set?api_key=s3cret&v=1#s3cret', 'https://keys.example/set?api_key=***&v=***'],
  ['postgres://me:s3cret@h:5432/d?password=s3cret', 'postgres://***@h:5432/d?password=***'],
  ['s3cret', 'a URL that cannot be read'],
]
for (const [url, shown] of rows) test(`${url} is shown as ${shown}`, () => assert.equal(shownUrl(url), shown))
