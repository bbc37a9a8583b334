package weir.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The load of both servers: Apache's clients, told by lines on stdin what to do.
 *
 * <p>A line is {@code <command> <name=value…>}. The answer is one line, {@code OK <JSON>} or {@code ERR <reason>}. One
 * process serves all commands of a run, so that the client is as warm for one server as for the other.
 */
public final class Load {
    private Load() {}

    public static void main(String[] args) throws IOException {
        ObjectMapper json = new ObjectMapper();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                Command command = Command.parse(line);
                answer = "OK " + json.writeValueAsString(run(command));
            } catch (Exception failed) {
                answer = "ERR " + failed.toString().replaceAll("\\s+", " ");
            }
            System.out.println(answer);
        }
    }

    private static Map<String, Object> run(Command command) throws Exception {
        return switch (command.name()) {
            case "create" -> Topics.create(command);
            case "delete" -> Topics.delete(command);
            case "produce" -> Produce.run(command);
            case "fetch" -> Fetch.run(command);
            case "end-to-end" -> EndToEnd.run(command);
            case "tool" -> Tool.run(command);
            default -> throw new IllegalArgumentException("there is no command " + command.name());
        };
    }
}
