// Expressions about interfaces: the forms of Expr of daml_lf2.proto that convert between interfaces and templates, or look
// at a contract through an interface, one row each.
import type { Expression } from '../syntax/ast.ts'
import type { Content, Form } from './content.ts'
import { internedName } from './contents.ts'
import { identifier } from './identifiers.ts'
import { form, message, once } from './message.ts'

type OnInterfaceKind = 'view-interface' | 'signatory-interface' | 'observer-interface' | 'interface-template-type-rep'

export function interfaceFormsWith(expression: Content<Expression>): readonly Form<Expression>[] {
  const unsafeFromInterface = message(
    'Expr.UnsafeFromInterface',
    [
      once(1, 'interface_type', identifier),
      once(2, 'template_type', identifier),
      once(3, 'contract_id_expr', expression),
      once(4, 'interface_expr', expression),
    ],
    (iface, template, contractId, value): Expression => {
      return { kind: 'unsafe-from-interface', interface: iface, template, contractId, value, location: undefined }
    },
  )

  const callInterface = message(
    'Expr.CallInterface',
    [
      once(1, 'interface_type', identifier),
      once(2, 'method_interned_name', internedName),
      once(3, 'interface_expr', expression),
    ],
    (iface, method, value): Expression => ({
      kind: 'call-interface',
      interface: iface,
      method,
      value,
      location: undefined,
    }),
  )

  const unsafeFromRequiredInterface = message(
    'Expr.UnsafeFromRequiredInterface',
    [
      once(1, 'required_interface', identifier),
      once(2, 'requiring_interface', identifier),
      once(3, 'contract_id_expr', expression),
      once(4, 'interface_expr', expression),
    ],
    (required, requiring, contractId, value): Expression => {
      return { kind: 'unsafe-from-required-interface', required, requiring, contractId, value, location: undefined }
    },
  )

  /** Forms that consist of an interface and an expression of it. */
  function onInterface(kind: OnInterfaceKind, name: string): Content<Expression> {
    return message(
      name,
      [once(1, 'interface', identifier), once(2, 'expr', expression)],
      (iface, value): Expression => {
        return { kind, interface: iface, value, location: undefined }
      },
    )
  }

  function betweenTemplate(
    kind: 'to-interface' | 'from-interface',
    name: string,
    valueName: string,
  ): Content<Expression> {
    return message(
      name,
      [once(1, 'interface_type', identifier), once(2, 'template_type', identifier), once(3, valueName, expression)],
      (iface, template, value): Expression => ({ kind, interface: iface, template, value, location: undefined }),
    )
  }

  function betweenInterfaces(
    kind: 'to-required-interface' | 'from-required-interface',
    name: string,
  ): Content<Expression> {
    return message(
      name,
      [
        once(1, 'required_interface', identifier),
        once(2, 'requiring_interface', identifier),
        once(3, 'expr', expression),
      ],
      (required, requiring, value): Expression => ({ kind, required, requiring, value, location: undefined }),
    )
  }

  return [
    form(33, 'to_interface', betweenTemplate('to-interface', 'Expr.ToInterface', 'template_expr')),
    form(34, 'from_interface', betweenTemplate('from-interface', 'Expr.FromInterface', 'interface_expr')),
    form(35, 'call_interface', callInterface),
    form(36, 'signatory_interface', onInterface('signatory-interface', 'Expr.SignatoryInterface')),
    form(37, 'observer_interface', onInterface('observer-interface', 'Expr.ObserverInterface')),
    form(38, 'view_interface', onInterface('view-interface', 'Expr.ViewInterface')),
    form(39, 'unsafe_from_interface', unsafeFromInterface, 1, 1),
    form(
      40,
      'interface_template_type_rep',
      onInterface('interface-template-type-rep', 'Expr.InterfaceTemplateTypeRep'),
    ),
    form(41, 'to_required_interface', betweenInterfaces('to-required-interface', 'Expr.ToRequiredInterface')),
    form(42, 'from_required_interface', betweenInterfaces('from-required-interface', 'Expr.FromRequiredInterface')),
    form(43, 'unsafe_from_required_interface', unsafeFromRequiredInterface),
  ]
}
