package com.digitalasset.daml.lf.tallystick

import com.digitalasset.daml.lf.archive.{DarParser, Decode}
import com.digitalasset.daml.lf.language.PackageInterface
import com.digitalasset.daml.lf.validation.Validation

import java.lang.management.ManagementFactory
import java.nio.file.Path
import scala.io.StdIn

/** Runs cases of a file again and again. Each line of the input is the number of a case and milliseconds; the answer is
  * the nanoseconds of CPU time that this thread used for one run, on average over that time. A case is one of those
  * that `record` takes, or `{"dar": FILE}`: decode a DAR and check its packages.
  */
object Speed {
  import Json.Reading

  private val thread = ManagementFactory.getThreadMXBean

  def apply(file: String): Unit = {
    val input = Json.read(file)
    val recorder = new Record(input)
    val cases = input.objects("cases").map(c => if (c.get("dar").isDefined) dar(c.text("dar")) else recorder.repeatable(c))
    println("ready")
    Iterator.continually(StdIn.readLine()).takeWhile(_ != null).map(_.split(" ")).foreach { line =>
      println(nanosOf(cases(line(0).toInt), line(1).toLong * 1000000))
    }
  }

  private def nanosOf(run: () => Unit, forNanos: Long): Long = {
    val start = thread.getCurrentThreadCpuTime
    var runs = 0L
    do {
      run()
      runs += 1
    } while (thread.getCurrentThreadCpuTime - start < forNanos)
    (thread.getCurrentThreadCpuTime - start) / runs
  }

  private def dar(file: String): () => Unit = () => {
    val archives = DarParser.readArchiveFromFile(Path.of(file).toFile).fold(throw _, identity).all
    val packages = archives.map(Decode.decodeArchive(_).fold(throw _, identity))
    val interface = PackageInterface(packages.toMap)
    packages.foreach { case (id, pkg) => Validation.checkPackage(interface, id, pkg).fold(e => sys.error(e.toString), identity) }
  }
}
