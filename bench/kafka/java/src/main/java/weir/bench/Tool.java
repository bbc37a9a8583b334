package weir.bench;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.tools.ConsumerPerformance;
import org.apache.kafka.tools.ProducerPerformance;

/**
 * {@code tool name=ProducerPerformance args=--topic,a,…}: runs one of Apache's performance tools unchanged, but in this
 * process, which is warm, and answers with what it printed.
 */
final class Tool {
    private Tool() {}

    static Map<String, Object> run(Command command) throws Exception {
        String[] args = command.text("args").split(",");
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream stdout = System.out;
        Exit.setExitProcedure((status, message) -> {
            throw new IllegalStateException("the tool ended with " + status);
        });
        try (PrintStream captured = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
            System.setOut(captured);
            switch (command.text("name")) {
                case "ProducerPerformance" -> ProducerPerformance.main(args);
                case "ConsumerPerformance" -> ConsumerPerformance.main(args);
                default -> throw new IllegalArgumentException("there is no tool " + command.text("name"));
            }
        } finally {
            System.setOut(stdout);
            Exit.resetExitProcedure();
        }
        return Map.of("output", printed.toString(StandardCharsets.UTF_8));
    }
}
