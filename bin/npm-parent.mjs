// The end of npm, or of the shell of its script. npm passes some signals on to that shell only, and ends at others: what
// it has started would run on, with its port and its data folder. So the program stops when its parent is gone.

const pollMs = 200

/** Works under every Node from 20 on. */
export function stopWithNpm() {
  const { npm_lifecycle_script: script = '' } = process.env
  // Windows has no such signals. A script that sends the program to the background means it to outlive the shell.
  if (process.platform === 'win32' || !script.includes('tallystick') || /[&;|]/.test(script)) return
  const parent = process.ppid
  const poll = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(poll)
    process.kill(process.pid, 'SIGTERM')
  }, pollMs)
  poll.unref()
}
