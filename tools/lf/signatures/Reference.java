// What Canton answers about keys and signatures, called as its engine calls them. Lines `SIGNATURE DIGEST KEY` in hex on
// standard input; SIGNATURE is `validate` and DIGEST empty where only the key is asked about. One answer a line:
// true, false, BYTES, KEY text or SIGNATURE text.
import com.daml.crypto.MessageSignaturePrototype;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.security.*;
import java.security.spec.*;
import java.util.HexFormat;

public class Reference {
  public static void main(String[] args) throws Exception {
    var input = new BufferedReader(new InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      System.out.println(answer(line.split(" ", -1)).replace("\n", "\\n"));
    }
  }

  static String answer(String[] fields) {
    var hex = HexFormat.of();
    var canton = MessageSignaturePrototype.Secp256k1();
    try {
      var key = KeyFactory.getInstance("EC").generatePublic(new X509EncodedKeySpec(hex.parseHex(fields[2])));
      if (fields[0].equals("validate")) return "" + canton.validateKey(key);
      return "" + canton.verify(hex.parseHex(fields[0]), hex.parseHex(fields[1]), key);
    } catch (IllegalArgumentException e) {
      return "BYTES"; // The engine has a text of its own for this.
    } catch (InvalidKeyException | InvalidKeySpecException e) {
      return "KEY " + e.getMessage();
    } catch (SignatureException e) {
      return "SIGNATURE " + e.getMessage();
    } catch (Exception e) {
      return "THROWS " + e;
    }
  }
}
