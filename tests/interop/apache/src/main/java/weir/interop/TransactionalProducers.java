package weir.interop;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Transactional producers by name, which live until they are closed, so that a test can let several of them take turns.
 *
 * <pre>
 * tx-open &lt;name&gt; &lt;transactional id&gt; &lt;setting=value…&gt;
 * tx-begin &lt;name&gt;                tx-commit &lt;name&gt;               tx-abort &lt;name&gt;
 * tx-send &lt;name&gt; &lt;topic&gt; &lt;partition&gt; &lt;value…&gt;              the offset of each
 * tx-offset &lt;name&gt; &lt;group&gt; &lt;topic&gt; &lt;partition&gt; &lt;offset&gt;
 * tx-copy &lt;from&gt; &lt;to&gt; &lt;records per commit&gt; &lt;transactional id, or - for none&gt;
 * </pre>
 */
final class TransactionalProducers implements AutoCloseable {
    private final Map<String, KafkaProducer<String, String>> producers = new HashMap<>();

    /** Null for a command that is not about transactions. */
    Object run(String command, String servers, List<String> arguments)
            throws ExecutionException, InterruptedException {
        return switch (command) {
            case "tx-open" -> open(servers, arguments);
            case "tx-begin" -> done(() -> of(arguments).beginTransaction());
            case "tx-send" -> send(arguments);
            case "tx-offset" -> done(() -> sendOffset(servers, arguments));
            case "tx-commit" -> done(() -> of(arguments).commitTransaction());
            case "tx-abort" -> done(() -> of(arguments).abortTransaction());
            case "tx-copy" -> TopicCopy.run(servers, arguments);
            default -> null;
        };
    }

    private static Map<String, Object> done(Runnable work) {
        work.run();
        return Map.of();
    }

    private Map<String, Object> open(String servers, List<String> arguments) {
        Map<String, Object> settings = Settings.of(servers, arguments.subList(2, arguments.size()));
        settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, arguments.get(1));
        KafkaProducer<String, String> producer = ClientProducer.open(settings);
        producers.put(arguments.get(0), producer);
        producer.initTransactions();
        return Map.of();
    }

    private KafkaProducer<String, String> of(List<String> arguments) {
        return producers.get(arguments.get(0));
    }

    private List<String> send(List<String> arguments) throws ExecutionException, InterruptedException {
        KafkaProducer<String, String> producer = of(arguments);
        int partition = Integer.parseInt(arguments.get(2));
        List<String> values = arguments.subList(3, arguments.size());
        var sent = values.stream()
                .map(value -> producer.send(new ProducerRecord<>(arguments.get(1), partition, null, value)))
                .toList();
        producer.flush();
        String[] offsets = new String[sent.size()];
        for (int n = 0; n < offsets.length; n++) offsets[n] = String.valueOf(sent.get(n).get().offset());
        return Arrays.asList(offsets);
    }

    /** The group has no members, as that of an application which assigns partitions itself. */
    private void sendOffset(String servers, List<String> arguments) {
        Map<String, Object> settings = Settings.of(servers);
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, arguments.get(1));
        TopicPartition partition = new TopicPartition(arguments.get(2), Integer.parseInt(arguments.get(3)));
        OffsetAndMetadata offset = new OffsetAndMetadata(Long.parseLong(arguments.get(4)));
        try (KafkaConsumer<String, String> consumer =
                new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            of(arguments).sendOffsetsToTransaction(Map.of(partition, offset), consumer.groupMetadata());
        }
    }

    @Override
    public void close() {
        for (KafkaProducer<String, String> producer : producers.values()) producer.close(Duration.ZERO);
    }
}
