package com.digitalasset.daml.lf.tallystick

import com.digitalasset.daml.lf.data.{FrontStack, ImmArray, Numeric, Ref, SortedLookupList, Time}
import com.digitalasset.daml.lf.language.Ast
import com.digitalasset.daml.lf.speedy.SValue
import com.digitalasset.daml.lf.speedy.SValue.*
import com.digitalasset.daml.lf.value.Value
import com.digitalasset.daml.lf.value.Value.*
import spray.json.*

/** The JSON form of values: one key that names the kind. Documented in test/differential/README.md. */
object Values {

  def fromJson(json: JsValue): Value = {
    val (kind, content) = json.asJsObject.fields.head
    def text = content.asInstanceOf[JsString].value
    def items = content.asInstanceOf[JsArray].elements
    def pair(json: JsValue) = { val Vector(a, b) = json.asInstanceOf[JsArray].elements: @unchecked; (a, b) }
    def name(json: JsValue) = Ref.Name.assertFromString(json.asInstanceOf[JsString].value)
    kind match {
      case "unit" => ValueUnit
      case "bool" => ValueBool(content == JsTrue)
      case "int64" => ValueInt64(text.toLong)
      case "numeric" => ValueNumeric(Numeric.assertFromString(text))
      case "text" => ValueText(text)
      case "party" => ValueParty(Ref.Party.assertFromString(text))
      case "date" => ValueDate(Time.Date.assertFromString(text))
      case "timestamp" => ValueTimestamp(Time.Timestamp.assertFromLong(text.toLong))
      case "contractId" => ValueContractId(ContractId.assertFromString(text))
      case "none" => ValueOptional(None)
      case "some" => ValueOptional(Some(fromJson(content)))
      case "list" => ValueList(FrontStack.from(items.map(fromJson)))
      case "textMap" =>
        ValueTextMap(
          SortedLookupList(items.map(pair).map { case (k, v) => k.asInstanceOf[JsString].value -> fromJson(v) }.toMap)
        )
      case "genMap" => ValueGenMap(items.map(pair).map { case (k, v) => fromJson(k) -> fromJson(v) }.to(ImmArray))
      case "record" => ValueRecord(None, items.map(v => Option.empty[Ref.Name] -> fromJson(v)).to(ImmArray))
      case "labelled" =>
        ValueRecord(None, items.map(pair).map { case (k, v) => Option(name(k)) -> fromJson(v) }.to(ImmArray))
      case "variant" => val (constructor, value) = pair(content); ValueVariant(None, name(constructor), fromJson(value))
      case "enum" => ValueEnum(None, name(content))
    }
  }

  def toJson(value: Value): JsValue = value match {
    case ValueUnit => of("unit", JsTrue)
    case ValueBool(b) => of("bool", JsBoolean(b))
    case ValueInt64(i) => of("int64", JsString(i.toString))
    case ValueNumeric(n) => of("numeric", JsString(Numeric.toString(n)))
    case ValueText(t) => of("text", JsString(t))
    case ValueParty(p) => of("party", JsString(p))
    case ValueDate(d) => of("date", JsString(d.toString))
    case ValueTimestamp(t) => of("timestamp", JsString(t.micros.toString))
    case ValueContractId(c) => of("contractId", JsString(c.coid))
    case ValueOptional(None) => of("none", JsTrue)
    case ValueOptional(Some(v)) => of("some", toJson(v))
    case ValueList(vs) => of("list", JsArray(vs.toImmArray.toSeq.map(toJson).toVector))
    case ValueTextMap(m) =>
      of("textMap", JsArray(m.toImmArray.toSeq.map { case (k, v) => JsArray(JsString(k), toJson(v)) }.toVector))
    case ValueGenMap(es) =>
      of("genMap", JsArray(es.toSeq.map { case (k, v) => JsArray(toJson(k), toJson(v)) }.toVector))
    case ValueRecord(_, fields) => of("record", JsArray(fields.toSeq.map { case (_, v) => toJson(v) }.toVector))
    case ValueVariant(_, constructor, v) => of("variant", JsArray(JsString(constructor), toJson(v)))
    case ValueEnum(_, constructor) => of("enum", JsString(constructor))
  }

  /** What an expression evaluates to: also structs, types, functions, which never reach a ledger. */
  def toJson(value: SValue): JsValue = value match {
    case SUnit => of("unit", JsTrue)
    case SBool(b) => of("bool", JsBoolean(b))
    case SInt64(i) => of("int64", JsString(i.toString))
    case SNumeric(n) => of("numeric", JsString(Numeric.toString(n)))
    case SText(t) => of("text", JsString(t))
    case SParty(p) => of("party", JsString(p))
    case SDate(d) => of("date", JsString(d.toString))
    case STimestamp(t) => of("timestamp", JsString(t.micros.toString))
    case SContractId(c) => of("contractId", JsString(c.coid))
    case SOptional(None) => of("none", JsTrue)
    case SOptional(Some(v)) => of("some", toJson(v))
    case SList(vs) => of("list", JsArray(vs.toImmArray.toSeq.map(toJson).toVector))
    case SMap(true, entries) =>
      val pairs = entries.iterator.map { case (k, v) => JsArray(JsString(k.asInstanceOf[SText].value), toJson(v)) }
      of("textMap", JsArray(pairs.toVector))
    case SMap(false, entries) =>
      of("genMap", JsArray(entries.iterator.map { case (k, v) => JsArray(toJson(k), toJson(v)) }.toVector))
    case SRecord(_, _, values) => of("record", JsArray(values.map(toJson).toVector))
    case SVariant(_, constructor, _, v) => of("variant", JsArray(JsString(constructor), toJson(v)))
    case SEnum(_, constructor, _) => of("enum", JsString(constructor))
    case SStruct(names, values) =>
      val pairs = names.names.zip(values.iterator).map { case (n, v) => JsArray(JsString(n), toJson(v)) }
      of("struct", JsArray(pairs.toVector))
    case SAny(ty, v) => of("any", JsArray(JsString(typeName(ty)), toJson(v)))
    case STypeRep(ty) => of("typeRep", JsString(typeName(ty)))
    case _: SPAP => of("function", JsTrue)
    case other => of("other", JsString(other.toString))
  }

  private def typeName(ty: Ast.Type): String = ty match {
    case Ast.TTyCon(id) => id.toString
    case other => other.pretty
  }

  private def of(kind: String, content: JsValue): JsValue = JsObject(kind -> content)
}
