package com.digitalasset.daml.lf.tallystick

import com.digitalasset.daml.lf.data.{ImmArray, Ref, Time}
import com.digitalasset.daml.lf.engine.Blinding
import com.digitalasset.daml.lf.transaction.{
  GlobalKeyWithMaintainers,
  Node,
  NodeId,
  SerializationVersion,
  SubmittedTransaction,
  Transaction,
}
import spray.json.*

/** A transaction with its metadata as JSON. Documented in test/differential/README.md. */
object Transactions {

  def toJson(transaction: SubmittedTransaction, metadata: Transaction.Metadata): Map[String, JsValue] = {
    val seeds = metadata.nodeSeeds.toSeq.toMap
    val blinding = Blinding.blind(transaction)
    val nodes = transaction.nodes.toVector.sortBy(_._1.index).map { case (id, node) =>
      val optional = List(
        seeds.get(id).map(seed => "seed" -> JsString(seed.toHexString)),
        blinding.disclosure.get(id).map(parties => "witnesses" -> sorted(parties)),
      ).flatten
      JsObject(Map("id" -> number(id)) ++ optional ++ nodeToJson(node))
    }
    val optional = List(
      Option.when(metadata.timeBoundaries != Time.Range.unconstrained)("timeBounds" -> bounds(metadata.timeBoundaries)),
      Option.when(blinding.divulgence.nonEmpty)(
        "divulged" -> JsObject(blinding.divulgence.map { case (id, parties) => id.coid -> sorted(parties) })
      ),
    ).flatten
    Map(
      "nodes" -> JsArray(nodes),
      "roots" -> ids(transaction.roots),
      "version" -> version(transaction.version),
      "usedPackages" -> sorted(metadata.usedPackages),
    ) ++ optional
  }

  private def nodeToJson(node: Node): Map[String, JsValue] = node match {
    case create: Node.Create =>
      Map(
        "kind" -> JsString("create"),
        "contractId" -> JsString(create.coid.coid),
        "packageName" -> JsString(create.packageName),
        "templateId" -> JsString(create.templateId.toString),
        "argument" -> Values.toJson(create.arg),
        "signatories" -> sorted(create.signatories),
        "stakeholders" -> sorted(create.stakeholders),
        "version" -> version(create.version),
      ) ++ create.keyOpt.map(key)
    case exercise: Node.Exercise =>
      Map(
        "kind" -> JsString("exercise"),
        "contractId" -> JsString(exercise.targetCoid.coid),
        "packageName" -> JsString(exercise.packageName),
        "templateId" -> JsString(exercise.templateId.toString),
        "choice" -> JsString(exercise.choiceId),
        "consuming" -> JsBoolean(exercise.consuming),
        "actors" -> sorted(exercise.actingParties),
        "argument" -> Values.toJson(exercise.chosenValue),
        "signatories" -> sorted(exercise.signatories),
        "stakeholders" -> sorted(exercise.stakeholders),
        "choiceObservers" -> sorted(exercise.choiceObservers),
        "children" -> ids(exercise.children),
        "byKey" -> JsBoolean(exercise.byKey),
        "version" -> version(exercise.version),
      ) ++ exercise.exerciseResult.map(result => "result" -> Values.toJson(result)) ++
        exercise.choiceAuthorizers.map(parties => "authorizers" -> sorted(parties)) ++
        exercise.interfaceId.map(interface) ++ exercise.keyOpt.map(key)
    case fetch: Node.Fetch =>
      Map(
        "kind" -> JsString("fetch"),
        "contractId" -> JsString(fetch.coid.coid),
        "packageName" -> JsString(fetch.packageName),
        "templateId" -> JsString(fetch.templateId.toString),
        "actors" -> sorted(fetch.actingParties),
        "signatories" -> sorted(fetch.signatories),
        "stakeholders" -> sorted(fetch.stakeholders),
        "byKey" -> JsBoolean(fetch.byKey),
        "version" -> version(fetch.version),
      ) ++ fetch.interfaceId.map(interface) ++ fetch.keyOpt.map(key)
    case query: Node.QueryByKey =>
      Map(
        "kind" -> JsString("queryByKey"),
        "packageName" -> JsString(query.packageName),
        "templateId" -> JsString(query.templateId.toString),
        "exhaustive" -> JsBoolean(query.exhaustive),
        "result" -> JsArray(query.result.map(id => JsString(id.coid))),
        "version" -> version(query.version),
        key(query.key),
      )
    case rollback: Node.Rollback =>
      Map("kind" -> JsString("rollback"), "children" -> ids(rollback.children))
  }

  private def key(key: GlobalKeyWithMaintainers): (String, JsValue) =
    "key" -> JsObject(
      "value" -> Values.toJson(key.value),
      "maintainers" -> sorted(key.maintainers),
      "hash" -> JsString(key.globalKey.hash.toHexString),
    )

  private def interface(id: Ref.TypeConId): (String, JsValue) = "interfaceId" -> JsString(id.toString)
  private def version(version: SerializationVersion): JsValue = JsString(SerializationVersion.toProtoValue(version))
  private def number(id: NodeId): JsValue = JsNumber(id.index)
  private def ids(nodes: ImmArray[NodeId]): JsValue = JsArray(nodes.toSeq.map(number).toVector)
  private def bounds(range: Time.Range): JsValue =
    JsArray(JsString(range.min.micros.toString), JsString(range.max.micros.toString))

  def sorted(texts: Iterable[String]): JsValue = JsArray(texts.toVector.sorted.map(JsString(_)))
}
