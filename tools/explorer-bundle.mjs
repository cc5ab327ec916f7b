// Builds the explorer for the node to serve: one file of code, one style sheet, both with hashed names, the page that loads
// them, each also compressed, and a list of them with their types and hashes (src/http/explorer-files.ts). A page needs most
// of the code; as modules of their own, what several pages share was 28 requests for each.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml' }

/** Returns the names of the source files that are part of it. */
export async function buildExplorer(root, output) {
  const { build } = await import('esbuild')
  rmSync(output, { recursive: true, force: true })
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { explorer: 'src/explorer/main.tsx', style: 'src/explorer/styles/all.css' },
    outdir: output,
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none', // All licences are collected in one file.
    metafile: true,
    logLevel: 'warning',
  })
  mkdirSync(output, { recursive: true })
  const files = {}
  const keep = (name, type, contents) => {
    files[name] = { type, etag: createHash('sha256').update(contents).digest('base64url').slice(0, 27) }
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 } // 11 saves three percent more and takes ten times as long.
    writeFileSync(join(output, name), contents)
    writeFileSync(join(output, `${name}.br`), brotliCompressSync(contents, { params }))
    writeFileSync(join(output, `${name}.gz`), gzipSync(contents, { level: 9 }))
  }
  for (const { path, contents } of outputFiles) keep(basename(path), types[path.split('.').at(-1)], contents)
  const icon = readFileSync(join(root, 'src', 'explorer', 'icon.svg'))
  keep(`icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8).toUpperCase()}.svg`, types.svg, icon)
  const named = (pattern) => Object.keys(files).find((name) => pattern.test(name))
  const page = readFileSync(join(root, 'src', 'explorer', 'page.html'), 'utf8')
    .replace('explorer.js', named(/^explorer-.*\.js$/))
    .replace('style.css', named(/^style-.*\.css$/))
    .replace('icon.svg', named(/^icon-.*\.svg$/))
  keep('index.html', 'text/html; charset=utf-8', Buffer.from(page))
  writeFileSync(join(output, 'files.json'), JSON.stringify(files))
  return Object.keys(metafile.inputs)
}
