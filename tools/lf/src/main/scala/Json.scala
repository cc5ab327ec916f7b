package com.digitalasset.daml.lf.tallystick

import spray.json.*

import java.nio.file.{Files, Path}

/** Reading and writing of cases: keys sorted, one case to a line, nothing but ASCII. */
object Json {
  def read(file: String): JsObject = JsonParser(Files.readString(Path.of(file))).asJsObject

  def write(file: String, json: JsObject): Unit = {
    val out = new StringBuilder("{\n")
    val parts = json.fields.toList.sortBy(_._1).map {
      case (key, JsArray(rows)) =>
        s"  ${compact(JsString(key))}: [\n${rows.map(row => "    " + compact(row)).mkString(",\n")}\n  ]"
      case (key, value) => s"  ${compact(JsString(key))}: ${compact(value)}"
    }
    out ++= parts.mkString(",\n") ++= "\n}\n"
    Files.writeString(Path.of(file), out.toString)
  }

  def compact(json: JsValue): String = json match {
    case JsObject(fields) =>
      fields.toList.sortBy(_._1).map { case (k, v) => s"${quote(k)}:${compact(v)}" }.mkString("{", ",", "}")
    case JsArray(items) => items.map(compact).mkString("[", ",", "]")
    case JsString(text) => quote(text)
    case other => other.compactPrint
  }

  private def quote(text: String): String = {
    val out = new StringBuilder("\"")
    text.foreach {
      case '"' => out ++= "\\\""
      case '\\' => out ++= "\\\\"
      case '\n' => out ++= "\\n"
      case c if c < ' ' || c > '~' => out ++= f"\\u${c.toInt}%04x"
      case c => out += c
    }
    (out += '"').toString
  }

  implicit class Reading(val json: JsObject) extends AnyVal {
    def get(key: String): Option[JsValue] = json.fields.get(key)
    def apply(key: String): JsValue = json.fields.getOrElse(key, sys.error(s"no $key in ${compact(json)}"))
    def text(key: String): String = apply(key).asInstanceOf[JsString].value
    def texts(key: String): List[String] = items(key).map(_.asInstanceOf[JsString].value)
    def items(key: String): List[JsValue] = get(key).toList.flatMap(_.asInstanceOf[JsArray].elements)
    def objects(key: String): List[JsObject] = items(key).map(_.asJsObject)
  }
}
