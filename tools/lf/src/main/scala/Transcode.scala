package com.digitalasset.daml.lf.tallystick

import com.daml.ledger.api.v2.value as api
import com.digitalasset.canton.http.json.v2.SchemaProcessorsImpl
import com.digitalasset.canton.ledger.api.util.LfEngineToApi
import com.digitalasset.canton.ledger.api.validation.ValueValidator
import com.digitalasset.canton.logging.{ErrorLoggingContext, NamedLoggerFactory, NamedLogging}
import com.digitalasset.canton.tracing.TraceContext
import com.digitalasset.daml.lf.archive.{DamlLf, Decode}
import com.digitalasset.daml.lf.data.Ref
import com.digitalasset.daml.lf.engine.Error
import com.digitalasset.daml.lf.engine.refinement.ValueTranslator
import com.digitalasset.daml.lf.language.{Ast, PackageInterface, Util}
import com.digitalasset.daml.lf.stablepackages.StablePackagesV2
import spray.json.*

import java.io.{FileOutputStream, PrintStream}
import java.nio.file.{Files, Path}
import scala.collection.mutable
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.duration.DurationInt
import scala.concurrent.{Await, Future}
import scala.util.{Failure, Success, Try}

/** What the JSON API makes of the argument of a choice: the same JSON after decoding, validation, translation to the
  * type and encoding, or the error with the stage at which it happened. A case is a line `[archive, choice, json]`: the
  * number of a package in the file of archives, a choice of its template `Main:T`, and JSON as a text.
  */
object Transcode extends NamedLogging {
  import Json.Reading

  override protected def loggerFactory: NamedLoggerFactory = NamedLoggerFactory.root
  private implicit val traceContext: TraceContext = TraceContext.empty

  private final case class Loaded(id: Ref.PackageId, pkg: Ast.Package) {
    private val packages = StablePackagesV2.packagesMap + (id -> pkg)
    private val signatures = packages.view.mapValues(Util.toSignature).toMap
    val processors = new SchemaProcessorsImpl((_: ErrorLoggingContext) => signatures, NamedLoggerFactory.root)
    val translator = new ValueTranslator(PackageInterface(packages), forbidLocalContractIds = true)
    val template: api.Identifier = api.Identifier(id, "Main", "T")
    val choices: Map[Ref.ChoiceName, Ast.Type] = {
      val module = pkg.modules(Ref.ModuleName.assertFromString("Main"))
      module.templates(Ref.DottedName.assertFromString("T")).choices.map { case (name, choice) =>
        name -> choice.argBinder._2
      }
    }
  }

  def apply(archives: String, cases: String, output: String): Unit = {
    val packages = mutable.ArrayBuffer.empty[Loaded]
    Validate.archivesIn(archives) { bytes =>
      val (id, pkg) = Decode.decodeArchive(DamlLf.Archive.parseFrom(bytes)).fold(throw _, identity)
      packages += Loaded(id, pkg)
    }
    val out = new PrintStream(new FileOutputStream(output), false, "UTF-8")
    Files.lines(Path.of(cases)).forEach { line =>
      val Vector(JsNumber(index), JsString(choice), JsString(json)) =
        JsonParser(line).asInstanceOf[JsArray].elements: @unchecked
      out.println(Json.compact(transcode(packages(index.toInt), Ref.ChoiceName.assertFromString(choice), json)))
    }
    out.close()
  }

  private def transcode(loaded: Loaded, choice: Ref.ChoiceName, text: String): JsObject = {
    def wait[A](future: Future[A]): A = Await.result(future, 1.minute)
    val result = for {
      json <- stage("parse")(ujson.read(text))
      given_ <- stage("decode")(wait(loaded.processors.choiceArgsFromJsonToProto(loaded.template, choice, json)))
      validated <- stage("validate")(ValueValidator.validateValue(given_).fold(throw _, identity))
      translated <- stage("translate")(
        loaded.translator.translateValue(loaded.choices(choice), validated).fold(throw _, identity)
      )
      proto <- stage("encode")(
        LfEngineToApi.lfValueToApiValue(verbose = true, translated.toNormalizedValue).fold(sys.error(_), identity)
      )
      shown <- stage("encode")(wait(loaded.processors.choiceArgsFromProtoToJson(loaded.template, choice, proto)))
    } yield JsObject("json" -> JsString(ujson.write(shown)))
    result.fold(identity, identity)
  }

  private def stage[A](name: String)(run: => A): Either[JsObject, A] = Try(run) match {
    case Success(value) => Right(value)
    case Failure(error) =>
      val message = error match {
        case refused: Error.Preprocessing.Error => refused.message
        case other => String.valueOf(other.getMessage)
      }
      val fields = Map("stage" -> name, "class" -> error.getClass.getName, "message" -> message)
      Left(JsObject(fields.map { case (key, value) => key -> JsString(value) }))
  }
}
