// The file of `--save-coverage` and `--load-coverage`, as `dpm test` writes and reads it: TestResults of
// test_results.proto.

import { LooseMessage } from '../../protobuf/loose-message.ts'
import { finishWriting, type MessageWriter } from '../../protobuf/message-writer.ts'
import { wireTypes } from '../../protobuf/wire-reading.ts'
import {
  addInstance,
  local,
  type NameText,
  noResults,
  type PackageText,
  separator,
  setIn,
  type TestResults,
} from './template-coverage.ts'

const fields = { templates: 1, interfaces: 2, instances: 3, created: 4, exercised: 5 } as const
const varieties = { local: 1, external: 2 } as const

export function writeTestResults({ templates, interfaces, instances, created, exercised }: TestResults): Uint8Array {
  return finishWriting((writer) => {
    for (const [field, all] of [
      [fields.templates, templates],
      [fields.interfaces, interfaces],
    ] as const) {
      for (const [name, choices] of sorted(all)) {
        writer.message(field, () => {
          writeName(writer, 1, name)
          writer.message(2, () => {
            for (const choice of [...choices].sort()) writeText(writer, 1, choice)
          })
        })
      }
    }
    for (const [, instance] of sorted(instances)) {
      writer.message(fields.instances, () => {
        writeName(writer, 1, instance.template)
        writeName(writer, 2, instance.interface)
        writePackage(writer, 3, instance.package)
      })
    }
    for (const [name, packages] of sorted(created)) {
      writer.message(fields.created, () => writeUse(writer, name, packages))
    }
    for (const [choice, byTemplate] of sorted(exercised)) {
      writer.message(fields.exercised, () => {
        writeText(writer, 1, choice)
        for (const [name, packages] of sorted(byTemplate)) writer.message(2, () => writeUse(writer, name, packages))
      })
    }
  })
}

function sorted<Value>(map: ReadonlyMap<string, Value>): [string, Value][] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : 1))
}

function writeUse(writer: MessageWriter, name: NameText, packages: ReadonlySet<PackageText>): void {
  writeName(writer, 1, name)
  for (const one of [...packages].sort()) writePackage(writer, 2, one)
}

function writeName(writer: MessageWriter, field: number, name: NameText): void {
  const [qualified, ...of] = name.split(separator)
  writer.message(field, () => {
    writeText(writer, 1, qualified!)
    writePackage(writer, 2, of.join(separator))
  })
}

function writePackage(writer: MessageWriter, field: number, text: PackageText): void {
  writer.message(field, () => {
    if (text === local) return writer.message(varieties.local, () => undefined)
    const [id = '', name = ''] = text.split(separator)
    return writer.message(varieties.external, () => {
      writeText(writer, 1, id)
      writeText(writer, 2, name)
    })
  })
}

/** As all writers of proto3, it leaves out an empty text. */
function writeText(writer: MessageWriter, field: number, text: string): void {
  if (text !== '') writer.tag(field, wireTypes.bytes).string(text)
}

/** Throws a ProtobufError for bytes that are no such file. */
export function readTestResults(bytes: Uint8Array, place: string): TestResults {
  const results = noResults()
  const file = new LooseMessage(bytes, place)
  const each = (message: LooseMessage, field: number) =>
    message.messages(field).map((content) => new LooseMessage(content, place))
  const nameIn = (message: LooseMessage | undefined): NameText => {
    const of = packageIn(message?.message(2))
    return of === local ? (message?.text(1) ?? '') : `${message!.text(1)}${separator}${of}`
  }
  const packageIn = (message: LooseMessage | undefined): PackageText => {
    const external = message?.message(varieties.external)
    return external === undefined ? local : `${external.text(1)}${separator}${external.text(2)}`
  }
  for (const kind of ['templates', 'interfaces'] as const) {
    for (const definition of each(file, fields[kind])) {
      const choices = setIn(results[kind], nameIn(definition.message(1)))
      for (const choice of definition.message(2)?.texts(1) ?? []) choices.add(choice)
    }
  }
  for (const instance of each(file, fields.instances)) {
    addInstance(results, {
      template: nameIn(instance.message(1)),
      interface: nameIn(instance.message(2)),
      package: packageIn(instance.message(3)),
    })
  }
  const readUse = (use: LooseMessage, to: Map<NameText, Set<PackageText>>) => {
    const packages = setIn(to, nameIn(use.message(1)))
    for (const one of each(use, 2)) packages.add(packageIn(one))
  }
  for (const use of each(file, fields.created)) readUse(use, results.created)
  for (const choice of each(file, fields.exercised)) {
    const byTemplate = results.exercised.get(choice.text(1)) ?? new Map()
    results.exercised.set(choice.text(1), byTemplate)
    for (const use of each(choice, 2)) readUse(use, byTemplate)
  }
  return results
}
