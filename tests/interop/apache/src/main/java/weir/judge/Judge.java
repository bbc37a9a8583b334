package weir.judge;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * What Apache's kafka-clients thinks of the protocol, for a test that speaks lines.
 *
 * <p>{@code schemas}, {@code values} and {@code errors} print one line of JSON and end. {@code echo} answers a line
 * with a line until its input ends.
 */
public final class Judge {
    private Judge() {}

    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        String mode = args.length == 1 ? args[0] : "";
        switch (mode) {
            case "schemas" -> out.println(Json.text(SchemaDump.allApis()));
            case "values" -> out.println(Json.text(ValueDump.allApis()));
            case "errors" -> out.println(Json.text(ErrorDump.allErrors()));
            case "echo" -> echoLines(out);
            default -> throw new IllegalArgumentException("expected schemas, values, errors or echo");
        }
        out.flush();
    }

    private static void echoLines(PrintStream out) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(Echo.answer(line));
            out.flush();
        }
    }
}
