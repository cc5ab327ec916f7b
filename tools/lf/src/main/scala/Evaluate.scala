package com.digitalasset.daml.lf.tallystick

import com.digitalasset.canton.logging.LoggerNameFromClass
import com.digitalasset.daml.lf.archive.{DamlLf, Decode}
import com.digitalasset.daml.lf.data.Ref
import com.digitalasset.daml.lf.data.Ref.Location
import com.digitalasset.daml.lf.engine.{ConcurrentCompiledPackages, Error}
import com.digitalasset.daml.lf.language.{Ast, LanguageVersion, PackageInterface}
import com.digitalasset.daml.lf.speedy.{Compiler, MachineLogger, SError, Speedy}
import com.digitalasset.daml.lf.stablepackages.StablePackagesV2
import com.digitalasset.daml.lf.validation.Validation
import spray.json.*

import java.io.{FileOutputStream, PrintStream}
import scala.collection.mutable

/** Evaluates the values of packages, whose names are `v` and a number: a line of JSON for each, with the value or the
  * error, and with the messages that were traced on the way. Packages come as a file of archives with the length of
  * each before it. A package that is not well-typed is reported in a line of its own.
  */
object Evaluate {
  private val stepsMax = 2000000L // Many times what the generated programs need.

  def apply(archives: String, output: String): Unit = {
    val out = new PrintStream(new FileOutputStream(output), false, "UTF-8")
    Validate.archivesIn(archives)(bytes => evaluate(bytes)(json => out.println(Json.compact(json))))
    out.close()
  }

  private def evaluate(bytes: Array[Byte])(print: JsObject => Unit): Unit = {
    val (id, pkg) = Decode.decodeArchive(DamlLf.Archive.parseFrom(bytes)).fold(throw _, identity)
    val known = StablePackagesV2.packagesMap + (id -> pkg)
    Validation.checkPackage(PackageInterface(known), id, pkg) match {
      case Left(error) => print(JsObject("invalid" -> JsString(error.toString)))
      case Right(()) =>
        val compiled = ConcurrentCompiledPackages(
          Compiler.Config(
            LanguageVersion.stableLfVersions,
            Compiler.NoPackageValidation,
            Compiler.NoProfile,
            Compiler.NoStackTrace,
          )
        )
        Record.add(compiled, known, id, pkg)
        for {
          (moduleName, module) <- pkg.modules.toList.sortBy(_._1.dottedName)
          name <- module.definitions.collect { case (name, Ast.DValue(_, _)) => name.dottedName }.toList
          if name.matches("v[0-9]+")
        } {
          val value = Ref.Identifier(id, Ref.QualifiedName(moduleName, Ref.DottedName.assertFromString(name)))
          print(JsObject(run(compiled, value).fields + ("name" -> JsString(name))))
        }
    }
  }

  private def run(compiled: ConcurrentCompiledPackages, value: Ref.Identifier): JsObject = {
    val traces = mutable.ArrayBuffer.empty[JsValue]
    val logger = new MachineLogger {
      def trace(message: String, location: Option[Location])(implicit ln: LoggerNameFromClass): Unit =
        traces += JsString(message)
      def warn(message: String, location: Option[Location])(implicit ln: LoggerNameFromClass): Unit = ()
    }
    val expression = compiled.compiler.unsafeCompile(Ast.EVal(value))
    val outcome: JsValue =
      try
        Speedy.Machine.fromPureSExpr(compiled, expression, logger, stepsMax).runPure() match {
          case Right(value) => JsObject("value" -> Values.toJson(value))
          case Left(SError.SErrorDamlException(error)) =>
            Record.errorToJson(Error.Interpretation(Error.Interpretation.DamlException(error), None))
          case Left(SError.SErrorCrash(_, reason)) =>
            JsObject("error" -> JsObject("class" -> JsString("Crash"), "message" -> JsString(reason)))
        }
      catch {
        case error: Throwable =>
          JsObject("error" -> JsObject("class" -> JsString("Thrown"), "message" -> JsString(error.toString.take(300))))
      }
    JsObject(outcome.asJsObject.fields ++ Option.when(traces.nonEmpty)("traces" -> JsArray(traces.toVector)))
  }
}
