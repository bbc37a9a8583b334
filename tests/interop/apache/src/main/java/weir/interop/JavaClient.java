package weir.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.UnaryOperator;

/**
 * What Apache's kafka-clients thinks of the protocol, for a test that speaks lines.
 *
 * <p>{@code schemas}, {@code values} and {@code errors} print one line of JSON and end. {@code echo} and {@code client}
 * answer a line with a line until their input ends; {@code client} is about a broker that runs.
 */
public final class JavaClient {
    private JavaClient() {}

    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        String mode = args.length == 1 ? args[0] : "";
        switch (mode) {
            case "schemas" -> out.println(Json.text(SchemaDump.allApis()));
            case "values" -> out.println(Json.text(ValueDump.allApis()));
            case "errors" -> out.println(Json.text(ErrorDump.allErrors()));
            case "echo" -> answerLines(out, Echo::answer);
            case "client" -> {
                try (Client client = new Client()) {
                    answerLines(out, client::answer);
                }
            }
            default -> throw new IllegalArgumentException("expected schemas, values, errors, echo or client");
        }
        out.flush();
    }

    private static void answerLines(PrintStream out, UnaryOperator<String> answer) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            out.println(answer.apply(line));
            out.flush();
        }
    }
}
