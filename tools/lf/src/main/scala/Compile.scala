package com.digitalasset.daml.lf.tallystick

import com.digitalasset.daml.lf.archive.ArchiveDecoder
import com.digitalasset.daml.lf.archive.testing.Encode
import com.digitalasset.daml.lf.data.Bytes
import com.digitalasset.daml.lf.data.Ref.PackageId
import com.digitalasset.daml.lf.language.{Ast, LanguageVersion, PackageInterface}
import com.digitalasset.daml.lf.stablepackages.StablePackagesV2
import com.digitalasset.daml.lf.testing.parser.{ParserParameters, parsePackage}
import com.digitalasset.daml.lf.validation.Validation

import java.io.FileOutputStream
import java.nio.file.{Files, Path}
import java.time.LocalDateTime
import java.util.jar.{Attributes, Manifest}
import java.util.zip.{ZipEntry, ZipOutputStream}

/** LF text to DAR: parse, type-check, encode, and put beside it the packages it refers to. The archive is read back,
  * because the encoder can write archives that no decoder accepts: a binder `_` becomes an empty name.
  */
object Compile {
  private val self = PackageId.assertFromString("-self-")

  /** What a package may refer to: stable packages, and by their names those that were compiled before. */
  private final case class Known(name: String, file: String, id: PackageId, pkg: Ast.Package, archive: Array[Byte])
  private val stablePackages = StablePackagesV2.allPackages.map { p =>
    val file = s"${p.moduleName.dottedName.replace('.', '-')}-${p.packageId}.dalf"
    Known(p.moduleName.dottedName, file, p.packageId, p.pkg, p.bytes.toByteArray)
  }
  private var compiled = List.empty[Known]
  private def known = stablePackages ++ compiled

  /** Without an output, only for packages that are compiled later. */
  def apply(name: String, version: String, lf: String, output: Option[String], sources: List[String]): Unit = {
    val place = output.getOrElse(name)
    val text = (s"metadata ( '$name' : '$version' )" :: sources.map(s => expanded(Files.readString(Path.of(s))))).mkString("\n")
    val languageVersion = LanguageVersion.assertFromString(lf)
    implicit val parameters: ParserParameters[this.type] = ParserParameters(self, languageVersion)
    val parsed = parsePackage[this.type](text).fold(error => Main.fail(s"$place: $error"), identity)
    val interface = PackageInterface(known.map(p => p.id -> p.pkg).toMap + (self -> parsed))
    Validation.checkPackage(interface, self, parsed).left.foreach(error => Main.fail(s"$place: ${error.pretty}"))

    val archive = Encode.encodeArchive(self -> parsed, languageVersion)
    val readBack = ArchiveDecoder.fromBytes(Bytes.fromByteString(archive.toByteString))
    val (id, pkg) = readBack.fold(error => Main.fail(s"$place: $error"), identity)

    val main = Known(name, s"$name-$version-$id.dalf", id, pkg, archive.toByteArray)
    val needed = dependencies(parsed)
    val others = known.filter(p => needed(p.id)).sortBy(_.name)
    output.foreach(writeDar(_, s"$name-$version", (main +: others.toList).map(p => p.file -> p.archive)))
    compiled = main :: compiled.filterNot(_.name == name)
  }

  private val use = """(?m)^use \$(\w+) = ([\w-]+):([\w.]+);$""".r

  /** `use $Name = package:Module;` makes `$Name:Type` stand for a type of that module. A package is a name or an id. */
  private def expanded(text: String): String = {
    val modules = use.findAllMatchIn(text).map { m =>
      val id = compiled.find(_.name == m.group(2)).fold(m.group(2))(_.id)
      m.group(1) -> s"'$id':${m.group(3)}:"
    }.toMap
    """\$(\w+):""".r.replaceAllIn(use.replaceAllIn(text, ""), m => modules.getOrElse(m.group(1), Main.fail(s"no use of ${m.matched}")))
  }

  private def dependencies(pkg: Ast.Package): Set[PackageId] =
    pkg.directDeps ++ known.filter(p => pkg.directDeps(p.id)).flatMap(p => dependencies(p.pkg))

  private def writeDar(output: String, name: String, dalfs: List[(String, Array[Byte])]): Unit = {
    val manifest = new Manifest
    val attributes = manifest.getMainAttributes
    def set(key: String, value: String) = attributes.put(new Attributes.Name(key), value)
    set("Manifest-Version", "1.0")
    set("Format", "daml-lf")
    set("Encryption", "non-encrypted")
    set("Name", name)
    set("Sdk-Version", "0.0.0")
    set("Main-Dalf", dalfs.head._1)
    set("Dalfs", dalfs.map(_._1).mkString(", "))

    val zip = new ZipOutputStream(new FileOutputStream(output))
    def entry(path: String)(write: => Unit): Unit = {
      val e = new ZipEntry(path)
      e.setTimeLocal(LocalDateTime.of(1980, 1, 1, 0, 0)) // One text, one DAR: no clock in it.
      zip.putNextEntry(e)
      write
      zip.closeEntry()
    }
    entry("META-INF/MANIFEST.MF")(manifest.write(zip))
    dalfs.foreach { case (path, bytes) => entry(path)(zip.write(bytes)) }
    zip.close()
  }
}
