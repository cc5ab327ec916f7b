// Our own version, as package.json states it.
import manifest from '../../package.json' with { type: 'json' }

export const ownVersion: string = manifest.version
