// Writes YAML. A file of its own, which is imported on demand: the library is CommonJS, so a bundle can import names from
// it only statically.
import { stringify } from 'yaml'

export const yamlText = (content: object): string => stringify(content)
