// Daml's own library packages, of several releases, that this checker found valid. The id of a package says what it is and
// what it refers to, so these need no second check: most of what a DAR contains is one of them. tools/lf/library-packages.ts
// checks them and writes the table.
import { stablePackages } from '../archive/stable-packages.ts'

type LibraryPackage = {
  readonly id: string
  /** For readers of this table. */
  readonly what: string
  /** The packages that it refers to: others of this table, */
  readonly libraries: readonly string[]
  /** and stable ones, by the beginnings of their ids. */
  readonly stable: string
}

let referred: ReadonlyMap<string, ReadonlySet<string>> | undefined

/** The packages that a library package refers to; undefined for any other package. */
export function referredByLibrary(id: string): ReadonlySet<string> | undefined {
  referred ??= new Map(libraryPackages.map((one) => [one.id, new Set([...one.libraries, ...stableIn(one)])]))
  return referred.get(id)
}

function stableIn({ stable }: LibraryPackage): readonly string[] {
  const beginnings = new Set(stable.split(' '))
  return [...stablePackages.keys()].filter((id) => beginnings.has(id.slice(0, 8)))
}

export const libraryPackages: readonly LibraryPackage[] = [
  {
    id: '22ffcbab726e64e179deebd895307fad94efbae3f72b07677e24038d0fbf4467',
    what: 'daml-prim 0.0.0 for LF 2.1',
    libraries: [],
    stable: '0e4a572a 5aee9b21 ab068e2f e7e0adfa ee33fb70 f181cd66 fcee8dfc',
  },
  {
    id: '54f85ebfc7dfae18f7d70370015dcc6c6792f60135ab369c44ae52c6fc17c274',
    what: 'daml-prim 0.0.0 for LF 2.1',
    libraries: [],
    stable: '0e4a572a 5aee9b21 ab068e2f e7e0adfa ee33fb70 f181cd66 fcee8dfc',
  },
  {
    id: '7cff38e34bd192d498d5a7606aa3b893e35b0f632d582b273f66dab90f2f14ef',
    what: 'daml-prim 0.0.0 for LF 2.1',
    libraries: [],
    stable: '0e4a572a 5aee9b21 ab068e2f e7e0adfa ee33fb70 f181cd66 fcee8dfc',
  },
  {
    id: '590736e6f7bc01492007ecb27f3fe75995c19fbd3d41b384aada69619fd4f76c',
    what: 'daml-prim 0.0.0 for LF 2.2',
    libraries: [],
    stable: '0e4a572a 5aee9b21 ab068e2f e7e0adfa ee33fb70 f181cd66 fcee8dfc',
  },
  {
    id: '633121baa3c1122ecb1e0d257bf563ff3cf25dc62ee3b50d60ae7b820a12fdc6',
    what: 'daml-script 3.3.0.20250502.13767.0 for LF 2.1',
    libraries: [
      '54f85ebfc7dfae18f7d70370015dcc6c6792f60135ab369c44ae52c6fc17c274',
      '9d1a644e686435cf934f2f3f049138a424863b2a800130046dadc0c994ea5df3',
    ],
    stable:
      '0e4a572a 5aee9b21 60c61c54 6da1f43a 6f8e6085 7adc4c2d 9e70a8b3 ab068e2f b70db836 bde4bd30 c3bb0c5d e7e0adfa fcee8dfc',
  },
  {
    id: 'd6ae29f2d88523d91c59863f5d6098f3031108ee5e2a3383faf24b3fdbafb036',
    what: 'daml-script 3.4.11 for LF 2.1',
    libraries: [
      '3b25c9b08ac6d895417c604fc0ee4b7e47ef974ff8fa43f139daa43bb431fefc',
      '7cff38e34bd192d498d5a7606aa3b893e35b0f632d582b273f66dab90f2f14ef',
    ],
    stable:
      '0e4a572a 5aee9b21 60c61c54 6da1f43a 6f8e6085 7adc4c2d 9e70a8b3 ab068e2f b70db836 bde4bd30 c3bb0c5d e7e0adfa fcee8dfc',
  },
  {
    id: '4cc9c8b0d34018571384a3dca51da9cd0e2cdfea08dd9d52980b53f51224159c',
    what: 'daml-script 3.4.4 for LF 2.2',
    libraries: [
      '3734011fb2c902e14b24560145d00d2f5fae47f50eb2a204d44955d1c8557abb',
      '590736e6f7bc01492007ecb27f3fe75995c19fbd3d41b384aada69619fd4f76c',
    ],
    stable:
      '0e4a572a 5aee9b21 60c61c54 6da1f43a 6f8e6085 7adc4c2d 9e70a8b3 ab068e2f b70db836 bde4bd30 c3bb0c5d e7e0adfa fcee8dfc',
  },
  {
    id: '9d1a644e686435cf934f2f3f049138a424863b2a800130046dadc0c994ea5df3',
    what: 'daml-stdlib 3.3.0.20250502.13767.0 for LF 2.1',
    libraries: ['54f85ebfc7dfae18f7d70370015dcc6c6792f60135ab369c44ae52c6fc17c274'],
    stable:
      '0e4a572a 3cde94fe 52854220 5aee9b21 60c61c54 6da1f43a 6f8e6085 7adc4c2d 86d888f3 91e167fa 9e70a8b3 a1fa1813 ab068e2f b70db836 bde4bd30 bfda48f9 c280cc3e c3bb0c5d cae345b5 d095a2cc e7e0adfa ee33fb70 f181cd66 fa79192f fcee8dfc',
  },
  {
    id: '3b25c9b08ac6d895417c604fc0ee4b7e47ef974ff8fa43f139daa43bb431fefc',
    what: 'daml-stdlib 3.4.11 for LF 2.1',
    libraries: ['7cff38e34bd192d498d5a7606aa3b893e35b0f632d582b273f66dab90f2f14ef'],
    stable:
      '0e4a572a 3cde94fe 52854220 5aee9b21 60c61c54 6da1f43a 6f8e6085 7adc4c2d 86d888f3 91e167fa 9e70a8b3 a1fa1813 ab068e2f b70db836 bde4bd30 bfda48f9 c280cc3e c3bb0c5d cae345b5 d095a2cc e7e0adfa ee33fb70 f181cd66 fa79192f fcee8dfc',
  },
  {
    id: '3734011fb2c902e14b24560145d00d2f5fae47f50eb2a204d44955d1c8557abb',
    what: 'daml-stdlib 3.4.4 for LF 2.2',
    libraries: ['590736e6f7bc01492007ecb27f3fe75995c19fbd3d41b384aada69619fd4f76c'],
    stable:
      '0e4a572a 3cde94fe 52854220 5aee9b21 60c61c54 6da1f43a 6f8e6085 7adc4c2d 86d888f3 91e167fa 9e70a8b3 a1fa1813 ab068e2f b70db836 bde4bd30 bfda48f9 c280cc3e c3bb0c5d cae345b5 d095a2cc e7e0adfa ee33fb70 f181cd66 fa79192f fcee8dfc',
  },
  {
    id: '4039f60273388c5701e27950ab3e8c3044433b0876535a3b48fb042cc77bf02a',
    what: 'daml-stdlib 3.5.2 for LF 2.1',
    libraries: ['22ffcbab726e64e179deebd895307fad94efbae3f72b07677e24038d0fbf4467'],
    stable:
      '0e4a572a 3cde94fe 52854220 5aee9b21 60c61c54 6da1f43a 6f8e6085 7adc4c2d 86d888f3 91e167fa 9e70a8b3 a1fa1813 ab068e2f b70db836 bde4bd30 bfda48f9 c280cc3e c3bb0c5d cae345b5 d095a2cc e7e0adfa ee33fb70 f181cd66 fa79192f fcee8dfc',
  },
]
