package weir.interop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.SubscriptionPattern;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A consumer that reads in a thread of its own and commits what it has read. */
final class GroupMember {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final String PATTERN = "pattern:";

    private final KafkaConsumer<String, String> consumer;
    private final Thread thread;
    private final List<Object> read = new ArrayList<>();
    private List<Object> assigned = List.of();
    private String failure;

    GroupMember(String servers, String group, String subscription, List<String> settings) {
        Map<String, Object> all = Settings.of(servers);
        all.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        all.putAll(Settings.of(servers, settings));
        consumer = new KafkaConsumer<>(all, new StringDeserializer(), new StringDeserializer());
        if (subscription.startsWith(PATTERN)) {
            consumer.subscribe(new SubscriptionPattern(subscription.substring(PATTERN.length())));
        } else {
            consumer.subscribe(List.of(subscription.split(",")));
        }
        thread = new Thread(this::work, "member of " + group);
        thread.start();
    }

    private void work() {
        try (consumer) {
            while (true) {
                List<Object> came = new ArrayList<>();
                consumer.poll(POLL).forEach(record -> came.add(
                        record.topic() + "-" + record.partition() + "@" + record.offset()));
                if (!came.isEmpty()) consumer.commitSync();
                List<Object> now = sorted(consumer.assignment());
                synchronized (this) {
                    read.addAll(came);
                    assigned = now;
                }
            }
        } catch (WakeupException stopped) {
            return;
        } catch (RuntimeException failed) {
            synchronized (this) {
                failure = failed.toString().replaceAll("[^ -~]|[\"\\\\]", " ");
            }
        }
    }

    synchronized Map<String, Object> state() {
        Map<String, Object> state = new HashMap<>();
        state.put("assigned", assigned);
        state.put("read", new ArrayList<>(read));
        state.put("failure", failure);
        return state;
    }

    /** Leaves the group, and gives what it had read until then. */
    Map<String, Object> stop() {
        consumer.wakeup();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return state();
    }

    static List<Object> sorted(Collection<TopicPartition> partitions) {
        return partitions.stream().map(TopicPartition::toString).sorted().map(name -> (Object) name).toList();
    }
}
