package weir.applications;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

/** Consumers in groups, each under a name of its own. */
final class Members {
    private final Map<String, Member> members = new ConcurrentHashMap<>();

    Object join(JsonNode arguments) {
        members.put(arguments.get("member").asText(), new Member(arguments));
        return Map.of();
    }

    Object state(JsonNode arguments) {
        return of(arguments).state();
    }

    Object seek(JsonNode arguments) throws ExecutionException, InterruptedException {
        of(arguments)
                .seek(
                        arguments.get("topic").asText(),
                        arguments.get("partition").asInt(),
                        arguments.get("offset").asLong());
        return Map.of();
    }

    Object stop(JsonNode arguments) throws InterruptedException {
        return of(arguments).stop();
    }

    private Member of(JsonNode arguments) {
        return members.get(arguments.get("member").asText());
    }
}
