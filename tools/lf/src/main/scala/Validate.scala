package com.digitalasset.daml.lf.tallystick

import com.digitalasset.daml.lf.archive.{DamlLf, DarParser, Decode}
import com.digitalasset.daml.lf.data.Ref.PackageId
import com.digitalasset.daml.lf.language.{Ast, PackageInterface}
import com.digitalasset.daml.lf.stablepackages.StablePackagesV2
import com.digitalasset.daml.lf.validation.Validation

import java.io.{DataInputStream, EOFException, FileInputStream, PrintStream}
import java.nio.file.Path

/** What the reference's type checker says of packages, a line of JSON each: the package id and either "ok", the error's
  * name and text, or that the archive cannot be read. Packages come as DARs, or as a file of archives with the length
  * of each before it; these may refer to the packages of `--with DAR`, or to the stable packages, or, after
  * `--together`, to each other.
  */
object Validate {
  private val out = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), false, "UTF-8")

  def apply(args: List[String]): Unit = {
    if (args.head == "--together") args.tail.foreach(together) else apart(args)
    out.flush()
  }

  private def together(file: String): Unit = {
    val packages = scala.collection.mutable.LinkedHashMap.empty[PackageId, Ast.Package]
    archivesIn(file)(bytes => packages += Decode.decodeArchive(DamlLf.Archive.parseFrom(bytes)).fold(throw _, identity))
    val interface = PackageInterface(packages.toMap)
    packages.foreach { case (id, pkg) => println(report(interface, id, pkg)) }
  }

  private def apart(args: List[String]): Unit = {
    val (base, files) = args match {
      case "--with" :: dar :: rest => (packagesOf(dar).toMap, rest)
      case rest => (StablePackagesV2.packagesMap: Map[PackageId, Ast.Package], rest)
    }
    files.foreach { file =>
      if (file.endsWith(".dar")) {
        val start = System.nanoTime()
        val packages = packagesOf(file)
        val decoded = System.nanoTime()
        val interface = PackageInterface(packages.toMap)
        packages.foreach { case (id, pkg) => println(report(interface, id, pkg)) }
        val millis = (n: Long) => n / 1000000
        System.err.println(s"$file: decoded in ${millis(decoded - start)} ms, checked in ${millis(System.nanoTime() - decoded)} ms")
      } else archivesIn(file)(bytes => println(judge(base, bytes)))
    }
  }

  private def println(line: String): Unit = out.println(line)

  private def packagesOf(dar: String): List[(PackageId, Ast.Package)] =
    DarParser.readArchiveFromFile(Path.of(dar).toFile).fold(throw _, identity).all.map(Decode.decodeArchive(_).fold(throw _, identity))

  private def judge(base: Map[PackageId, Ast.Package], bytes: Array[Byte]): String = {
    val read =
      try Decode.decodeArchive(DamlLf.Archive.parseFrom(bytes)).left.map(_.toString)
      catch { case e: Exception => Left(e.toString) }
    read match {
      case Left(error) => s"""{"unreadable":${text(error)}}"""
      case Right((id, pkg)) => report(PackageInterface(base + (id -> pkg)), id, pkg)
    }
  }

  private def report(interface: PackageInterface, id: PackageId, pkg: Ast.Package): String =
    try
      Validation.checkPackage(interface, id, pkg) match {
        case Right(()) => s"""{"id":"$id","verdict":"ok"}"""
        case Left(error) => s"""{"id":"$id","verdict":${text(error.toString)}}"""
      }
    catch { case e: Throwable => s"""{"id":"$id","crash":${text(e.toString.take(300))}}""" }

  def archivesIn(file: String)(use: Array[Byte] => Unit): Unit = {
    val in = new DataInputStream(new java.io.BufferedInputStream(new FileInputStream(file)))
    try
      while (true) {
        val bytes = new Array[Byte](in.readInt())
        in.readFully(bytes)
        use(bytes)
      }
    catch { case _: EOFException => () }
    finally in.close()
  }

  private def text(s: String): String =
    s.flatMap {
      case '"' => "\\\""
      case '\\' => "\\\\"
      case '\n' => "\\n"
      case c if c < ' ' => f"\\u${c.toInt}%04x"
      case c => c.toString
    }.mkString("\"", "", "\"")
}
