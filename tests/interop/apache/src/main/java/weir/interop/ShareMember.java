package weir.interop;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** A consumer in a share group that does one thing at a time, when it is told to. */
final class ShareMember {
    private final KafkaShareConsumer<String, String> consumer;
    private final boolean isExplicit;

    ShareMember(String servers, String group, String topic, List<String> settings) {
        Map<String, Object> all = Settings.of(servers, settings);
        all.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        isExplicit = "explicit".equals(all.get(ConsumerConfig.SHARE_ACKNOWLEDGEMENT_MODE_CONFIG));
        consumer = new KafkaShareConsumer<>(all, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of(topic));
    }

    /**
     * Reads once, and says of each record what is asked for: {@code accept}, or by offset, as {@code 3=release,*=accept}. Gives the
     * records as {@code partition@offset#delivery}.
     */
    List<Object> poll(int waitMs, String saying) {
        Map<String, AcknowledgeType> types = new HashMap<>();
        for (String part : saying.split(",")) {
            int equals = part.indexOf('=');
            String type = part.substring(equals + 1).toUpperCase();
            types.put(equals < 0 ? "*" : part.substring(0, equals), AcknowledgeType.valueOf(type));
        }
        List<Object> came = new ArrayList<>();
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(waitMs))) {
            came.add(record.partition() + "@" + record.offset() + "#" + record.deliveryCount().orElse((short) -1));
            AcknowledgeType type = types.getOrDefault(String.valueOf(record.offset()), types.get("*"));
            if (isExplicit) consumer.acknowledge(record, type);
        }
        return came;
    }

    /** Makes what was said count, and gives what became of it. */
    Map<String, Object> commit() {
        Map<String, Object> outcome = new TreeMap<>();
        consumer.commitSync().forEach((partition, failure) -> outcome.put(
                partition.topicPartition().toString(),
                failure.map(error -> (Object) error.getClass().getSimpleName()).orElse("OK")));
        return outcome;
    }

    Map<String, Object> stop() {
        consumer.close();
        return Map.of();
    }
}
