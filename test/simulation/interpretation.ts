// How a ledger interprets commands of any template: looks up contracts, checks authority, numbers nodes in pre-order
// and decides who sees them. It shares no code with the node; the templates themselves are in quickstart.ts.

export type Contract = {
  readonly id: string
  readonly template: string
  readonly argument: unknown
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
  readonly stakeholders: readonly string[]
}

export type Command =
  | { readonly kind: 'create'; readonly template: string; readonly argument: unknown }
  | {
      readonly kind: 'exercise'
      /** A template or an interface. */
      readonly type: string
      readonly contractId: string
      readonly choice: string
      readonly argument: unknown
    }
  | {
      readonly kind: 'create-and-exercise'
      readonly template: string
      readonly argument: unknown
      readonly choice: string
      readonly choiceArgument: unknown
    }

type OfContract = {
  readonly nodeId: number
  readonly contract: Contract
  /** Every party that sees it, sorted. */
  readonly witnesses: readonly string[]
}

export type CreateNode = OfContract & { readonly kind: 'create' }

export type ExerciseNode = OfContract & {
  readonly kind: 'exercise'
  readonly interfaceId: string | undefined
  readonly choice: string
  readonly argument: unknown
  readonly actors: readonly string[]
  readonly isConsuming: boolean
  readonly result: unknown
  readonly lastDescendantNodeId: number
}

export type Node = CreateNode | ExerciseNode

export type Transaction = {
  /** Creates and exercises. Created contracts have the ids `#0`, `#1`, … until the node reports theirs. */
  readonly nodes: readonly Node[]
  /** Contracts of the ledger that were used. */
  readonly inputs: ReadonlySet<string>
  /** Every party concerned: the witnesses of all nodes, and the signatories of contracts that were only fetched. */
  readonly informees: ReadonlySet<string>
}

/** What a choice may do. */
export type Effects = {
  create(template: string, argument: unknown): string
  fetch(type: string, contractId: string): Contract
  exercise(type: string, contractId: string, choice: string, argument: unknown): unknown
}

export type Choice<Argument, ChoiceArgument> = {
  readonly isConsuming: boolean
  controllers(argument: Argument): string[]
  observers?(argument: Argument, choiceArgument: ChoiceArgument): string[]
  run(effects: Effects, argument: Argument, choiceArgument: ChoiceArgument): unknown
}

export type Choices<Argument> = Readonly<Record<string, Choice<Argument, never>>>

export type Template<Argument> = {
  check?(argument: Argument): void
  signatories(argument: Argument): string[]
  observers(argument: Argument): string[]
  readonly choices: Choices<Argument>
}

export type Package = {
  readonly templates: Readonly<Record<string, Template<never>>>
  /** Interfaces by name, with the templates that implement them. */
  readonly interfaces: Readonly<Record<string, { readonly of: readonly string[]; readonly choices: Choices<never> }>>
}

export type Request = {
  readonly commands: readonly Command[]
  readonly actAs: readonly string[]
  readonly readAs: readonly string[]
  readonly disclosed: readonly Contract[]
}

/** Thrown when the ledger refuses a command at once. */
export class Refused extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

type Scope = { readonly authorizers: ReadonlySet<string>; readonly witnesses: readonly string[] }

export function interpret(
  { templates, interfaces }: Package,
  request: Request,
  active: (contractId: string) => Contract | undefined,
): Transaction {
  const readers = new Set([...request.actAs, ...request.readAs])
  const disclosed = new Map(request.disclosed.map((contract) => [contract.id, contract]))
  const own = new Map<string, Contract>()
  const consumed = new Set<string>()
  const inputs = new Set<string>()
  const fetched = new Set<string>()
  const nodes: Node[] = []
  let nextNode = 0

  function look(contractId: string): Contract {
    const mine = own.get(contractId)
    const stored = mine ?? disclosed.get(contractId) ?? active(contractId)
    const isVisible = disclosed.has(contractId) || stored?.stakeholders.some((party) => readers.has(party))
    if (stored === undefined || !(mine || isVisible)) throw new Refused('CONTRACT_NOT_FOUND')
    if (consumed.has(contractId)) throw new Refused('CONTRACT_NOT_ACTIVE')
    return stored
  }

  function lookAs(type: string, contractId: string): Contract {
    const contract = look(contractId)
    const wanted = interfaces[type]
    if (wanted === undefined && contract.template !== type) throw new Refused('WRONGLY_TYPED_CONTRACT')
    if (wanted !== undefined && !wanted.of.includes(contract.template)) {
      throw new Refused('CONTRACT_DOES_NOT_IMPLEMENT_INTERFACE')
    }
    if (!own.has(contractId)) inputs.add(contractId)
    return contract
  }

  function effectsIn({ authorizers, witnesses }: Scope): Effects {
    return {
      create(template, argument) {
        const rules = templates[template]!
        rules.check?.(argument as never)
        const signatories = sorted(rules.signatories(argument as never))
        requireAll(signatories, authorizers)
        const stakeholders = sorted([...signatories, ...rules.observers(argument as never)])
        const observers = stakeholders.filter((party) => !signatories.includes(party))
        const id = `#${own.size}`
        const contract = { id, template, argument, signatories, observers, stakeholders }
        own.set(id, contract)
        nodes.push({ kind: 'create', nodeId: nextNode++, contract, witnesses: sorted([...witnesses, ...stakeholders]) })
        return id
      },

      fetch(type, contractId) {
        const contract = lookAs(type, contractId)
        const isAllowed = contract.stakeholders.some((party) => authorizers.has(party))
        if (!isAllowed) throw new Refused('DAML_AUTHORIZATION_ERROR')
        nextNode += 1
        for (const party of contract.signatories) fetched.add(party)
        return contract
      },

      exercise(type, contractId, name, argument) {
        const contract = lookAs(type, contractId)
        const choice = (interfaces[type]?.choices ?? templates[type]!.choices)[name]! as Choice<unknown, unknown>
        const actors = sorted(choice.controllers(contract.argument))
        requireAll(actors, authorizers)
        const { isConsuming } = choice
        const observers = choice.observers?.(contract.argument, argument) ?? []
        const informed = isConsuming ? contract.stakeholders : contract.signatories
        const seenBy = sorted([...witnesses, ...informed, ...actors, ...observers])
        const [nodeId, position] = [nextNode++, nodes.length]
        if (isConsuming) consumed.add(contractId)
        const inside = { authorizers: new Set([...contract.signatories, ...actors]), witnesses: seenBy }
        const result = choice.run(effectsIn(inside), contract.argument, argument)
        nodes.splice(position, 0, {
          kind: 'exercise',
          nodeId,
          contract,
          witnesses: seenBy,
          interfaceId: type in interfaces ? type : undefined,
          choice: name,
          argument,
          actors,
          isConsuming,
          result,
          lastDescendantNodeId: nextNode - 1,
        })
        return result
      },
    }
  }

  const { create, exercise } = effectsIn({ authorizers: new Set(request.actAs), witnesses: [] })
  for (const command of request.commands) {
    if (command.kind === 'exercise') exercise(command.type, command.contractId, command.choice, command.argument)
    else {
      const id = create(command.template, command.argument)
      if (command.kind === 'create-and-exercise') exercise(command.template, id, command.choice, command.choiceArgument)
    }
  }
  return { nodes, inputs, informees: new Set([...nodes.flatMap(({ witnesses }) => witnesses), ...fetched]) }
}

function requireAll(parties: readonly string[], authorizers: ReadonlySet<string>): void {
  if (!parties.every((party) => authorizers.has(party))) throw new Refused('DAML_AUTHORIZATION_ERROR')
}

/** Without duplicates. */
export function sorted(parties: Iterable<string>): string[] {
  return [...new Set(parties)].sort()
}
