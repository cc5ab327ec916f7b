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

/** LF text to DAR: parse, type-check, encode, and put beside it the stable packages it refers to. The archive is read
  * back, because the encoder can write archives that no decoder accepts: a binder `_` becomes an empty name.
  */
object Compile {
  private val self = PackageId.assertFromString("-self-")
  private val stablePackages = StablePackagesV2.allPackages

  def apply(name: String, version: String, lf: String, output: String, sources: List[String]): Unit = {
    val text = (s"metadata ( '$name' : '$version' )" :: sources.map(s => Files.readString(Path.of(s)))).mkString("\n")
    val languageVersion = LanguageVersion.assertFromString(lf)
    implicit val parameters: ParserParameters[this.type] = ParserParameters(self, languageVersion)
    val parsed = parsePackage[this.type](text).fold(error => Main.fail(s"$output: $error"), identity)
    val known = PackageInterface(StablePackagesV2.packagesMap + (self -> parsed))
    Validation.checkPackage(known, self, parsed).left.foreach(error => Main.fail(s"$output: ${error.pretty}"))

    val archive = Encode.encodeArchive(self -> parsed, languageVersion)
    val readBack = ArchiveDecoder.fromBytes(Bytes.fromByteString(archive.toByteString))
    readBack.left.foreach(error => Main.fail(s"$output: $error"))

    val main = s"$name-$version-${archive.getHash}.dalf" -> archive.toByteArray
    val needed = stablePackages.filter(p => dependencies(parsed)(p.packageId)).sortBy(_.moduleName.dottedName)
    val others = needed.map { p =>
      s"${p.moduleName.dottedName.replace('.', '-')}-${p.packageId}.dalf" -> p.bytes.toByteArray
    }
    writeDar(output, s"$name-$version", main :: others.toList)
  }

  private def dependencies(pkg: Ast.Package): Set[PackageId] =
    pkg.directDeps ++ stablePackages.filter(p => pkg.directDeps(p.packageId)).flatMap(p => dependencies(p.pkg))

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
