// The package is Canton's on purpose: parts of the engine are visible only inside com.digitalasset.daml.lf.
package com.digitalasset.daml.lf.tallystick

import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.*

object Main {
  private val usage =
    """usage: compile PACKAGES.txt   every package of the table; the DARs are put beside their first source
      |       record CASES RECORDINGS   every file of the folder CASES, to a file of the same name
      |       speed CASES   runs cases as often as its input says, and prints how long one takes
      |       validate [--with DAR] FILE...   what the type checker says of the packages of DARs and files of archives
      |       evaluate FILE.dalfs OUTPUT   the values v0, v1, … of the packages in a file of archives
      |       transcode FILE.dalfs CASES OUTPUT   JSON to arguments of choices and back
      |""".stripMargin

  def main(args: Array[String]): Unit =
    args.toList match {
      case List("compile", table) =>
        Files.readAllLines(Path.of(table)).asScala.filterNot(_.startsWith("#")).map(_.split(" +").toList).foreach {
          case name :: version :: lf :: sources if name.startsWith("+") =>
            Compile(name.tail, version, lf, None, sources)
          case name :: version :: lf :: sources =>
            Compile(name, version, lf, Some(s"${Path.of(sources.head).getParent}/$name.dar"), sources)
          case row => fail(s"$table: $row")
        }
      case List("record", cases, recordings) =>
        Files.list(Path.of(cases)).iterator.asScala.toList.sorted.foreach { file =>
          Record(file.toString, s"$recordings/${file.getFileName}")
        }
      case List("speed", cases) => Speed(cases)
      case List("evaluate", archives, output) => Evaluate(archives, output)
      case List("transcode", archives, cases, output) => Transcode(archives, cases, output)
      case "validate" :: files => Validate(files)
      case _ => fail(usage)
    }

  def fail(message: String): Nothing = {
    System.err.println(message)
    sys.exit(1)
  }
}
