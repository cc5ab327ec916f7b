// Where acting begins: the forms that create a contract and exercise a choice. The pages of these forms own what follows.

/** `template` is named as in commands: `#package:Module:Template`. The form begins with the fields of the contract `like`. */
export function createPath(template: string, like?: string): string {
  return `/act/create?${new URLSearchParams({ template, ...(like && { like }) })}`
}

/** `owner` is the template or interface that has the choice, named as in commands. */
export function exercisePath(owner: string, contractId: string, choice: string): string {
  return `/act/exercise?${new URLSearchParams({ template: owner, contract: contractId, choice })}`
}
