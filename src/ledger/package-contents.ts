// What is in the packages of this participant, by name: which templates and interfaces there are, and which template
// implements which interface. Filters and views of readers depend on it.

/** An interface that a template implements, and where. */
export type Implementation = {
  /** `package-id:Module:Entity` of the interface, as the template's package refers to it. */
  readonly interfaceId: string
  /** `package-id:Module:Entity` of the version of the template that implements it. */
  readonly templateId: string
}

/** Names are `#package-name:Module:Entity`. */
export type PackageContents = {
  hasPackage(packageName: string): boolean
  hasTemplate(name: string): boolean
  hasInterface(name: string): boolean
  /** Templates of which some version implements the interface, by name. */
  implementersOf(interfaceName: string): readonly string[]
  /** How the preferred version of a template shows itself as an interface. */
  implementation(templateName: string, interfaceName: string): Implementation | undefined
}
