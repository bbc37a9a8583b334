package weir.applications;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Applications of Apache Kafka for a test that speaks lines.
 *
 * <p>A line is {@code {"id": …, "command": …, "arguments": {…}}}; the answer has the same id and either an answer or a
 * failure. Commands run beside each other, so that one that waits holds up no other.
 */
public final class Applications {
    static final ObjectMapper JSON = new ObjectMapper();

    private final PrintStream out = System.out;
    private final Members members = new Members();
    private final Transactions transactions = new Transactions();
    private final Tools tools = new Tools();

    private Applications() {}

    public static void main(String[] args) throws IOException {
        new Applications().answerLines();
    }

    private void answerLines() throws IOException {
        ExecutorService workers = Executors.newCachedThreadPool();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            JsonNode asked = JSON.readTree(line);
            workers.execute(() -> answer(asked));
        }
        // The members in their threads end with their input.
        Runtime.getRuntime().halt(0);
    }

    private void answer(JsonNode asked) {
        Map<String, Object> answer = new HashMap<>();
        answer.put("id", asked.get("id").asInt());
        try {
            answer.put("answer", run(asked.get("command").asText(), asked.get("arguments")));
        } catch (ExecutionException failed) {
            answer.put("failure", failed.getCause().toString());
        } catch (InterruptedException | RuntimeException failed) {
            answer.put("failure", failed.toString());
        }
        String line;
        try {
            line = JSON.writeValueAsString(answer);
        } catch (IOException failed) {
            throw new IllegalStateException("the answer is no JSON", failed);
        }
        synchronized (out) {
            out.println(line);
            out.flush();
        }
    }

    private Object run(String command, JsonNode arguments) throws ExecutionException, InterruptedException {
        return switch (command) {
            case "join" -> members.join(arguments);
            case "member" -> members.state(arguments);
            case "seek" -> members.seek(arguments);
            case "stop" -> members.stop(arguments);
            case "begin" -> transactions.begin(arguments);
            case "commit" -> transactions.commit(arguments);
            case "abort" -> transactions.abort(arguments);
            case "tool" -> tools.run(arguments);
            case "produce" -> Records.produce(arguments);
            case "produce-aborted" -> Records.produceAborted(arguments);
            case "read" -> Records.read(arguments);
            case "authorize" -> Authorizer.decide(arguments);
            case "as-cruise-control", "as-strimzi" -> Operators.run(command, arguments);
            default -> AdminCalls.run(command, arguments);
        };
    }
}
