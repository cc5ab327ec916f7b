// Loaded into each test file before node:test, which follows every promise to know which test it belongs to. That takes
// about a microsecond of each, more than most promises of a node. Nothing here needs it: tests and hooks are declared
// before their suite waits for anything. An error that nobody catches fails the file instead of a single test.
import hooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const { createHook } = hooks
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
syncBuiltinESMExports()
