package weir.applications;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** Calls of Apache's admin client. */
final class AdminCalls {
    private AdminCalls() {}

    static Object run(String command, JsonNode arguments) throws ExecutionException, InterruptedException {
        Map<String, Object> servers = Map.of("bootstrap.servers", arguments.get("servers").asText());
        try (Admin admin = Admin.create(servers)) {
            return switch (command) {
                case "create-topic" -> {
                    admin.createTopics(List.of(new NewTopic(
                                    arguments.get("topic").asText(),
                                    Optional.of(arguments.get("partitions").asInt()),
                                    Optional.empty())))
                            .all()
                            .get();
                    yield Map.of();
                }
                default -> throw new IllegalArgumentException("no command " + command);
            };
        }
    }
}
