// What the reference says about upgrades: reads all archives (*.dalf) of a folder and answers questions from standard
// input, one line each. `pair PAST PRESENT` is answered with the first problem as JSON text, or `ok`; `order ID…` with
// the ids and all they depend on in the order in which lineages are checked.
// Run: java -cp CLASSPATH ReferenceUpgrades.java FOLDER < questions
import com.digitalasset.daml.lf.archive.DamlLf;
import com.digitalasset.daml.lf.archive.Decode;
import com.digitalasset.daml.lf.language.Ast;
import com.digitalasset.daml.lf.language.Util;
import com.digitalasset.daml.lf.validation.TypecheckUpgrades;
import com.digitalasset.daml.lf.validation.UpgradeError;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.HashMap;
import scala.collection.immutable.Map;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.BoxedUnit;

public class ReferenceUpgrades {
  private static Map<String, Ast.GenPackage<BoxedUnit>> packages = new HashMap<>();

  public static void main(String[] args) throws Exception {
    List<Path> files;
    try (var listed = Files.list(Path.of(args[0]))) {
      files = listed.filter(file -> file.toString().endsWith(".dalf")).sorted().collect(Collectors.toList());
    }
    for (Path file : files) {
      try {
        var decoded = Decode.assertDecodeArchive(DamlLf.Archive.parseFrom(Files.readAllBytes(file)));
        packages = packages.updated(decoded._1(), Util.toSignature(decoded._2()));
      } catch (Throwable error) {
        System.err.println(file.getFileName() + ": " + error);
      }
    }
    var lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] words = line.split(" ");
      System.out.println(words[0].equals("pair") ? verdict(words[1], words[2]) : order(List.of(words)));
    }
  }

  private static String verdict(String past, String present) {
    if (!packages.contains(past) || !packages.contains(present)) return "unknown";
    var upgrading = new Tuple2<>(present, packages.apply(present));
    var outcome = TypecheckUpgrades.typecheckUpgrades(packages, upgrading, past, packages.get(past));
    if (outcome.isSuccess()) return "ok";
    Throwable problem = outcome.failed().get();
    return json(problem instanceof UpgradeError ? ((UpgradeError) problem).prettyInternal() : problem.toString());
  }

  @SuppressWarnings("unchecked")
  private static String order(List<String> words) {
    var ids = CollectionConverters.asScala(words.subList(1, words.size())).toList();
    var ordered = Util.dependenciesInTopologicalOrder(ids, (scala.PartialFunction) packages);
    return String.join(" ", CollectionConverters.asJava(ordered));
  }

  private static String json(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
  }
}
