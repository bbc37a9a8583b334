package weir.applications;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A consumer that reads in a thread of its own, commits as it was told, and remembers what became of its assignment. */
final class Member implements ConsumerRebalanceListener {
    private static final Duration POLL = Duration.ofMillis(100);

    private final KafkaConsumer<String, String> consumer;
    private final Thread thread;
    private final String commit;
    private final Queue<Runnable> errands = new ConcurrentLinkedQueue<>();
    private final List<List<Object>> read = new ArrayList<>();
    private final List<List<String>> revoked = new ArrayList<>();
    private final List<List<String>> lost = new ArrayList<>();
    private int assignments;
    private int commitsAnswered;
    private List<String> assigned = List.of();
    private String failure;
    private volatile boolean stopping;

    Member(JsonNode arguments) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        commit = arguments.get("commit").asText();
        settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, commit.equals("auto"));
        arguments.get("settings").properties().forEach(one -> settings.put(one.getKey(), one.getValue().asText()));
        consumer = new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of(arguments.get("topic").asText()), this);
        thread = new Thread(this::work, "member " + arguments.get("member").asText());
        thread.start();
    }

    private void work() {
        try (consumer) {
            while (!stopping) {
                for (Runnable errand = errands.poll(); errand != null; errand = errands.poll()) errand.run();
                List<List<Object>> came = new ArrayList<>();
                consumer.poll(POLL).forEach(record -> came.add(
                        List.of(record.topic(), record.partition(), record.offset(), record.value())));
                try {
                    if (!came.isEmpty()) commit();
                } finally {
                    // Also if it is stopped while it commits: on its way out it commits what it has read.
                    synchronized (this) {
                        read.addAll(came);
                        assigned = names(consumer.assignment());
                    }
                }
            }
        } catch (WakeupException stopped) {
            return;
        } catch (RuntimeException failed) {
            synchronized (this) {
                failure = failed.toString();
            }
        }
    }

    private void commit() {
        switch (commit) {
            case "sync" -> commitNow();
            case "async" -> consumer.commitAsync((offsets, failed) -> {
                synchronized (this) {
                    if (failed == null) commitsAnswered++;
                    else if (!(failed instanceof RebalanceInProgressException)) failure = failed.toString();
                }
            });
            default -> {
                // The consumer commits by itself.
            }
        }
    }

    /** In the middle of a rebalance nothing can be committed; what was read is committed with what comes next, or on the way out. */
    private void commitNow() {
        try {
            consumer.commitSync();
            synchronized (this) {
                commitsAnswered++;
            }
        } catch (RebalanceInProgressException later) {
            errands.add(this::commitNow);
        }
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        synchronized (this) {
            assignments++;
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        if (partitions.isEmpty()) return;
        if (!commit.equals("auto")) consumer.commitSync();
        synchronized (this) {
            revoked.add(names(partitions));
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        synchronized (this) {
            lost.add(names(partitions));
        }
    }

    synchronized Map<String, Object> state() {
        Map<String, Object> state = new HashMap<>();
        state.put("assigned", assigned);
        state.put("read", new ArrayList<>(read));
        state.put("revoked", new ArrayList<>(revoked));
        state.put("lost", new ArrayList<>(lost));
        state.put("assignments", assignments);
        state.put("commitsAnswered", commitsAnswered);
        state.put("failure", failure);
        return state;
    }

    void seek(String topic, int partition, long offset) throws ExecutionException, InterruptedException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        errands.add(() -> {
            consumer.seek(new TopicPartition(topic, partition), offset);
            done.complete(null);
        });
        done.get();
    }

    /** Wakes the consumer in whatever it waits for and lets it close; gives what it had read until then. */
    Map<String, Object> stop() throws InterruptedException {
        stopping = true;
        consumer.wakeup();
        thread.join();
        return state();
    }

    private static List<String> names(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::toString).sorted().toList();
    }
}
