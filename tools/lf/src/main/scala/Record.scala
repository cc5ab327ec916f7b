package com.digitalasset.daml.lf.tallystick

import com.digitalasset.canton.logging.{NamedLoggerFactory, NamedLoggingContext}
import com.digitalasset.canton.tracing.TraceContext
import com.digitalasset.daml.lf.archive.{Dar, DarDecoder}
import com.digitalasset.daml.lf.command.{ApiCommand, ApiCommands}
import com.digitalasset.daml.lf.crypto.Hash
import com.digitalasset.daml.lf.data.{Bytes, ImmArray, Ref, Time}
import com.digitalasset.daml.lf.engine.*
import com.digitalasset.daml.lf.engine.ResultNeedKey.Response.AuthenticableFatContractInstance
import com.digitalasset.daml.lf.engine.refinement.ValueTranslator
import com.digitalasset.daml.lf.interpretation
import com.digitalasset.daml.lf.language.{Ast, LanguageVersion, Util}
import com.digitalasset.daml.lf.speedy.{Compiler, SError, SExpr, SValue, Speedy}
import com.digitalasset.daml.lf.stablepackages.StablePackagesV2
import com.digitalasset.daml.lf.transaction.{Transaction => Tx, *}
import com.digitalasset.daml.lf.value.{ContractIdVersion, Value}
import com.digitalasset.daml.lf.value.Value.ContractId
import spray.json.*

import java.nio.file.Path
import scala.collection.immutable.{ArraySeq, TreeSet}
import scala.collection.mutable

/** Runs every case of a file through the reference engine and writes the file again with the outcomes. */
object Record {
  import Json.Reading

  private implicit val traceContext: TraceContext = TraceContext.empty

  def apply(cases: String, recording: String): Unit = {
    val input = Json.read(cases)
    val recorder = new Record(input)
    val outcomes = input.objects("cases").map { c =>
      try JsObject(c.fields + ("outcome" -> recorder.outcome(c)))
      catch { case error: Throwable => throw new RuntimeException(s"case ${Json.compact(c).take(300)}", error) }
    }
    val recorded = Map("cases" -> JsArray(outcomes.toVector), "packages" -> recorder.packageIds)
    Json.write(recording, JsObject(input.fields ++ recorded))
  }

  /** The class, from the outermost part that distinguishes: `Preprocessing.Lookup`, `Upgrade.ValidationFailed`. */
  def errorToJson(error: Error): JsValue = {
    val (kind, trace) = error match {
      case Error.Interpretation(Error.Interpretation.DamlException(inner), trace) => (className(inner), trace)
      case Error.Interpretation(inner, trace) => (s"Interpretation.${className(inner)}", trace)
      case Error.Preprocessing(inner) => (s"Preprocessing.${className(inner)}", None)
      case Error.Package(inner) => (s"Package.${className(inner)}", None)
      case Error.Validation(inner) => (s"Validation.${className(inner)}", None)
    }
    val fields = Map("class" -> JsString(kind), "message" -> JsString(error.message))
    JsObject(Map("error" -> JsObject(fields ++ details(error) ++ trace.map(t => "trace" -> JsString(t)))))
  }

  private def className(error: Any): String = error match {
    case interpretation.Error.Upgrade(inner) => s"Upgrade.${className(inner)}"
    case interpretation.Error.Crypto(inner) => s"Crypto.${className(inner)}"
    case interpretation.Error.Dev(_, inner) => s"Dev.${className(inner)}"
    case product: Product => product.productPrefix
    case other => other.getClass.getSimpleName
  }

  /** Compiles a package and what it needs of others. */
  def add(
      compiled: ConcurrentCompiledPackages,
      known: Map[Ref.PackageId, Ast.Package],
      id: Ref.PackageId,
      pkg: Ast.Package,
  ): Unit = {
    @scala.annotation.tailrec
    def go(result: Result[Unit]): Unit = result match {
      case ResultDone(()) => ()
      case ResultNeedPackage(needed, resume) => go(resume(known.get(needed)))
      case other => sys.error(other.toString)
    }
    go(compiled.addPackage(id, pkg))
  }

  /** What a ledger client gets besides the message. */
  private def details(error: Error): Map[String, JsValue] = error match {
    case Error.Interpretation(Error.Interpretation.DamlException(inner: interpretation.Error.FailureStatus), _) =>
      Map(
        "errorId" -> JsString(inner.errorId),
        "category" -> JsNumber(inner.failureCategory),
        "text" -> JsString(inner.errorMessage),
        "metadata" -> JsObject(inner.metadata.map { case (k, v) => k -> JsString(v) }),
      )
    case _ => Map.empty
  }
}

private class Record(defaults: JsObject) {
  import Json.Reading
  import Record.*

  private val dars: List[Dar[(Ref.PackageId, Ast.Package)]] =
    defaults.texts("dars").map(file => DarDecoder.readArchiveFromFile(Path.of(file).toFile).fold(throw _, identity))
  private val packages: Map[Ref.PackageId, Ast.Package] =
    StablePackagesV2.packagesMap ++ dars.flatMap(_.all)
  private val mainIds: Map[String, Ref.PackageId] =
    dars.map(dar => dar.main._2.pkgName -> dar.main._1).toMap[String, Ref.PackageId]

  // As a participant configures it.
  private val engine = new Engine(
    EngineConfig(allowedLanguageVersions = LanguageVersion.stableLfVersions, forbidLocalContractIds = true),
    NamedLoggerFactory.root,
  )
  private val compiled = ConcurrentCompiledPackages(
    Compiler.Config(
      LanguageVersion.stableLfVersions,
      Compiler.NoPackageValidation,
      Compiler.NoProfile,
      Compiler.NoStackTrace,
    )
  )
  dars.foreach(_.all.foreach { case (id, pkg) => run(compiled.addPackage(id, pkg)) })

  def packageIds: JsValue = JsObject(mainIds.map { case (name, id) => name -> JsString(id) })

  def outcome(c: JsObject): JsValue =
    if (c.get("commands").isDefined) submit(c)
    else if (c.get("evaluate").isDefined) evaluate(c)
    else if (c.get("view").isDefined) view(c)
    else if (c.get("contractHash").isDefined) contractHash(c)
    else keyHash(c)

  // Submission

  private def submit(c: JsObject): JsValue = {
    val contracts = c.objects("contracts").map(contractFromJson)
    val unauthentic = c.objects("contracts").filter(_.get("authentic").contains(JsFalse)).map(_.text("id")).toSet
    val asked = mutable.LinkedHashMap.empty[String, JsValue]
    val result = submission(c)()
    val hidden = c.objects("contracts").filter(_.get("hiddenFromKeys").contains(JsTrue)).map(_.text("id")).toSet
    val questions = run(result, contracts, hidden, (id, hash) => { asked(id) = hash; !unauthentic(id) })
    val inputs = Option.when(asked.nonEmpty)("inputContracts" -> JsObject(asked.toMap))
    questions match {
      case Left(error) => JsObject(errorToJson(error).asJsObject.fields ++ inputs)
      case Right((transaction, metadata)) => JsObject(Transactions.toJson(transaction, metadata) ++ inputs)
    }
  }

  /** Prepared: every call submits the case again. */
  private def submission(c: JsObject): () => Result[(SubmittedTransaction, Tx.Metadata)] = {
    def setting(key: String) = c.get(key).getOrElse(defaults(key)).asInstanceOf[JsString].value
    val packageMap = packages.view.mapValues(pkg => (pkg.pkgName, pkg.pkgVersion)).toMap
    val submitters = c.texts("actAs").map(Ref.Party.assertFromString).toSet
    val readAs = c.texts("readAs").map(Ref.Party.assertFromString).toSet
    val time = Time.Timestamp.assertFromString(setting("time"))
    val commands = ApiCommands(c.objects("commands").map(commandFromJson).to(ImmArray), time, "recording")
    val participant = Ref.ParticipantId.assertFromString(setting("participant"))
    val seed = Hash.assertFromString(setting("seed"))
    val mode = NextGenContractStateMachine.Mode
      .fromString(setting("mode"))
      .getOrElse(sys.error(s"no such mode: ${setting("mode")}"))
    () =>
      engine.submit(
        packageMap = packageMap,
        packagePreference = mainIds.values.toSet,
        submitters = submitters,
        readAs = readAs,
        cmds = commands,
        participantId = participant,
        submissionSeed = seed,
        contractIdVersion = ContractIdVersion.V1,
        contractStateMode = mode,
        prefetchKeys = Nil,
      )
  }

  /** Prepared: every call runs the case again, from values to values, and fails if the case does. */
  def repeatable(c: JsObject): () => Unit =
    if (c.get("commands").isDefined) {
      val submit = submission(c)
      val contracts = c.objects("contracts").map(contractFromJson)
      () => run(submit(), contracts).fold(error => sys.error(error.message), _ => ())
    } else {
      val evaluate = evaluation(c)
      () => evaluate().fold(error => sys.error(error.toString), _ => ())
    }

  private def commandFromJson(json: JsObject): ApiCommand = {
    def ref(key: String) = Ref.TypeConRef.assertFromString(json.text(key))
    def value(key: String) = Values.fromJson(json(key))
    def id(text: String) = ContractId.assertFromString(text)
    def choice = Ref.ChoiceName.assertFromString(json.text("choice"))
    if (json.get("create").isDefined) ApiCommand.Create(ref("create"), value("argument"))
    else if (json.get("exercise").isDefined)
      ApiCommand.Exercise(ref("exercise"), id(json.text("contractId")), choice, value("argument"))
    else if (json.get("exerciseByKey").isDefined)
      ApiCommand.ExerciseByKey(ref("exerciseByKey"), value("key"), choice, value("argument"))
    else
      ApiCommand.CreateAndExercise(ref("createAndExercise"), value("createArgument"), choice, value("choiceArgument"))
  }

  private def contractFromJson(json: JsObject): FatContractInstance = {
    val template = identifier(json.text("template"))
    val signatories = json.texts("signatories").map(Ref.Party.assertFromString).toSet
    val observers = json.texts("observers").map(Ref.Party.assertFromString).toSet
    val key = json.get("key").map { key =>
      val global = done(engine.buildGlobalKey(template, Values.fromJson(key)))
      GlobalKeyWithMaintainers(global, TreeSet.from(json.texts("maintainers").map(Ref.Party.assertFromString)))
    }
    val create = Node.Create(
      coid = ContractId.assertFromString(json.text("id")),
      packageName = json.get("packageName").fold(packages(template.packageId).pkgName)(name =>
        Ref.PackageName.assertFromString(name.asInstanceOf[JsString].value)
      ),
      templateId = template,
      arg = Values.fromJson(json("argument")),
      signatories = signatories,
      stakeholders = signatories ++ observers,
      keyOpt = key,
      version = if (key.isEmpty) SerializationVersion.V1 else SerializationVersion.V2,
    )
    FatContractInstance.fromCreateNode(create, CreationTime.CreatedAt(Time.Timestamp.Epoch), Bytes.Empty)
  }

  // Expressions

  private def evaluate(c: JsObject): JsValue =
    evaluation(c)() match {
      case Right(value: SValue) => JsObject("value" -> Values.toJson(value))
      case Left(SError.SErrorDamlException(error)) =>
        errorToJson(Error.Interpretation(Error.Interpretation.DamlException(error), None))
      case Left(SError.SErrorCrash(_, reason)) =>
        JsObject("error" -> JsObject("class" -> JsString("Crash"), "message" -> JsString(reason)))
    }

  private def evaluation(c: JsObject): () => Either[SError.SError, SValue] = {
    val id = identifier(c.text("evaluate"))
    val arguments = c.items("arguments").map(Values.fromJson)
    val definitions = packages(id.packageId).modules(id.qualifiedName.module).definitions
    val Ast.DValue(ty, _) = definitions(id.qualifiedName.name): @unchecked
    val translator = new ValueTranslator(compiled.pkgInterface, forbidLocalContractIds = false)
    val translated = arguments.zip(argumentTypes(ty)).map { case (value, argumentType) =>
      translator.translateValue(argumentType, value).fold(e => sys.error(e.toString), identity)
    }
    val function = compiled.compiler.unsafeCompile(Ast.EVal(id))
    val expression = if (translated.isEmpty) function else SExpr.SEApp(function, translated.to(ArraySeq))
    implicit val logging: NamedLoggingContext = new NamedLoggingContext(NamedLoggerFactory.root, traceContext)
    () => Speedy.Machine.runPureSExpr(expression, compiled)
  }

  private def argumentTypes(ty: Ast.Type): List[Ast.Type] = ty match {
    case Util.TFun(argument, result) => argument :: argumentTypes(result)
    case _ => Nil
  }

  // Interface views and hashes

  private def view(c: JsObject): JsValue = {
    val template = identifier(c.text("view"))
    val interface = identifier(c.text("interface"))
    run(engine.computeInterfaceView(template, Values.fromJson(c("argument")), interface))
      .fold(errorToJson, view => JsObject("value" -> Values.toJson(view.unversioned)))
  }

  private def contractHash(c: JsObject): JsValue = {
    // Neither id nor signatories enter the hash, but every contract needs them.
    val made = Map("id" -> JsString("00" * 34), "signatories" -> JsArray(JsString("-")))
    val create = contractFromJson(JsObject(c.fields ++ made + ("template" -> c("contractHash")))).toCreateNode
    run(engine.hashCreateNode(create, identity, Hash.HashingMethod.TypedNormalForm)).fold(errorToJson, hashToJson)
  }

  private def keyHash(c: JsObject): JsValue =
    run(engine.buildGlobalKey(identifier(c.text("keyHash")), Values.fromJson(c("key"))))
      .fold(errorToJson, key => hashToJson(key.hash))

  private def hashToJson(hash: Hash): JsValue = JsObject("hash" -> JsString(hash.toHexString))

  // The engine's questions

  /** Answers from the given contracts, keys in the order listed. `authenticate` gets id and hash of each contract used. */
  private def run[A](
      result: Result[A],
      contracts: List[FatContractInstance] = Nil,
      hiddenFromKeys: Set[String] = Set.empty,
      authenticate: (String, JsValue) => Boolean = (_, _) => true,
  ): Either[Error, A] = {
    def isAuthentic(id: ContractId)(hash: Hash) = authenticate(id.coid, JsString(hash.toHexString))
    val method = Hash.HashingMethod.TypedNormalForm
    @scala.annotation.tailrec
    def go(result: Result[A]): Either[Error, A] = result match {
      case ResultDone(value) => Right(value)
      case ResultError(error) => Left(error)
      case ResultInterruption(continue, _) => go(continue())
      case ResultPrefetch(_, _, continue) => go(continue())
      case ResultNeedPackage(id, resume) => go(resume(packages.get(id)))
      case ResultNeedContract(id, resume) =>
        go(resume(contracts.find(_.contractId == id) match {
          case Some(contract) => ResultNeedContract.Response.ContractFound(contract, method, isAuthentic(id))
          case None => ResultNeedContract.Response.ContractNotFound
        }))
      case ResultNeedKey(key, _, _, resume) =>
        val reported = contracts.filterNot(c => hiddenFromKeys(c.contractId.coid))
        val matching = reported.filter(_.contractKeyWithMaintainers.exists(_.globalKey == key))
        val entries = matching.map(c => AuthenticableFatContractInstance(c, method, isAuthentic(c.contractId))).toVector
        go(resume(ResultNeedKey.Response(entries, NeedKeyProgression.Finished)))
    }
    go(result)
  }

  private def done[A](result: Result[A]): A = run(result).fold(error => sys.error(error.message), identity)

  /** `#name:Module:Entity`, with the name of a package of this file, or an identifier with a package id. */
  private def identifier(text: String): Ref.Identifier = {
    val Array(pkg, rest) = text.split(":", 2): @unchecked
    val id = if (pkg.startsWith("#")) mainIds(pkg.drop(1)) else Ref.PackageId.assertFromString(pkg)
    Ref.Identifier(id, Ref.QualifiedName.assertFromString(rest))
  }
}
