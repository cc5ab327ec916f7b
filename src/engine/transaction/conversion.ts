// A contract's argument as a value of another version of its template (Canton: SBuiltinFun.scala, importCreateArg).

import { createTranslation, TranslationError } from '../../lf/codec/translation.ts'
import type { Identifier } from '../../lf/syntax/ast.ts'
import type { DataTypes } from '../../lf/values/data-types.ts'
import type { LfRecord } from '../../lf/values/values.ts'
import type { TemplateCode } from '../code/code.ts'
import { compareValues } from '../values/order.ts'
import type { CheckValue } from '../values/value-check.ts'
import type { ValueText } from '../values/value-text.ts'
import { typeOfTemplate } from './contracts.ts'
import { translationFailed } from './effect-failures.ts'

/** Without an id: a value in code, which may belong to no contract at all. */
export type Convertible = { readonly id?: string; readonly templateId: Identifier; readonly argument: LfRecord }

/** Throws the failure if the other version cannot hold the value. */
export type Convert = (from: Convertible, to: TemplateCode) => LfRecord

type Parts = { readonly dataTypes: DataTypes; readonly textOf: ValueText; readonly checkValue: CheckValue }

export function createConversion({ dataTypes, textOf, checkValue }: Parts): Convert {
  const translate = createTranslation({ dataTypes, compare: compareValues })
  return ({ id, templateId, argument }, to) => {
    const type = typeOfTemplate(templateId)
    checkValue(argument, type) // Charges steps for every part: code may convert one value again and again.
    try {
      return translate(argument, type, typeOfTemplate(to.id)) as LfRecord
    } catch (error) {
      if (!(error instanceof TranslationError)) throw error
      throw translationFailed({ id, from: templateId, to: to.id, argument: { type, value: argument }, error }, textOf)
    }
  }
}
