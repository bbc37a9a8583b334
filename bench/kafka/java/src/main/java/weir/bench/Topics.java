package weir.bench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;

/**
 * {@code create topics=a,b partitions=… config.<name>=…}: makes topics and waits until the leader of each partition
 * answers for it. {@code delete topics=a,b} deletes them.
 *
 * <p>Apache's server names leaders a moment before they serve. Of several batches that a producer has under way, the first
 * may then be refused and the second taken, after which none of them ever gets in: an idempotent producer that is unknown
 * to a partition may begin with any sequence.
 */
final class Topics {
    private static final String CONFIG_PREFIX = "config.";
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(2);

    private Topics() {}

    static Map<String, Object> create(Command command) throws Exception {
        List<String> names = List.of(command.text("topics").split(","));
        int partitions = command.integer("partitions");
        long startNs = System.nanoTime();
        try (Admin admin = Admin.create(command.settings())) {
            List<NewTopic> topics = new ArrayList<>();
            for (String name : names) {
                topics.add(new NewTopic(name, partitions, (short) 1).configs(configs(command)));
            }
            admin.createTopics(topics).all().get();
            // A topic that was just made may be unknown for a moment to whoever did not make it.
            while (!areServed(admin, names, partitions)) {
                if (System.nanoTime() - startNs > LIMIT_NS) throw new IllegalStateException("no leaders in time");
                Thread.sleep(50);
            }
        }
        return Map.of("seconds", (System.nanoTime() - startNs) / 1e9);
    }

    static Map<String, Object> delete(Command command) throws Exception {
        try (Admin admin = Admin.create(command.settings())) {
            admin.deleteTopics(List.of(command.text("topics").split(","))).all().get();
        }
        return Map.of();
    }

    private static Map<String, String> configs(Command command) {
        Map<String, String> configs = new HashMap<>();
        for (Map.Entry<String, String> entry : command.values().entrySet()) {
            if (!entry.getKey().startsWith(CONFIG_PREFIX)) continue;
            configs.put(entry.getKey().substring(CONFIG_PREFIX.length()), entry.getValue());
        }
        return configs;
    }

    private static boolean areServed(Admin admin, List<String> names, int partitions) throws InterruptedException {
        try {
            for (TopicDescription topic : admin.describeTopics(names).allTopicNames().get().values()) {
                if (topic.partitions().size() != partitions) return false;
                if (topic.partitions().stream().anyMatch(partition -> partition.leader() == null)) return false;
            }
            Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
            for (String name : names) {
                for (int index = 0; index < partitions; index++) {
                    ends.put(new TopicPartition(name, index), OffsetSpec.latest());
                }
            }
            admin.listOffsets(ends).all().get();
            return true;
        } catch (ExecutionException unknownYet) {
            return false;
        }
    }
}
