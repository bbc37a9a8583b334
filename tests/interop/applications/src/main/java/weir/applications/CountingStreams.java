package weir.applications;

import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/**
 * A topology of Kafka Streams with exactly-once processing: every number of the input becomes three words, which are
 * repartitioned and counted. Each new count of a word is a record of the output.
 *
 * <p>{@code <servers> <input> <output> <state directory> <application id>}. Prints a line when it begins to process, and
 * one for every hundred numbers.
 */
public final class CountingStreams {
    private static final int[] KINDS = {7, 11, 13};

    private CountingStreams() {}

    public static void main(String[] args) {
        StreamsBuilder builder = new StreamsBuilder();
        AtomicInteger processed = new AtomicInteger();
        KStream<String, String> input = builder.stream(args[1]);
        input.peek((key, value) -> {
                    int count = processed.incrementAndGet();
                    if (count % 100 == 1) System.out.println("{\"processed\":" + count + "}");
                })
                .flatMap((key, value) -> words(Integer.parseInt(value)))
                .groupByKey()
                .count(Materialized.as("counts"))
                .toStream()
                .mapValues(String::valueOf)
                .to(args[2]);

        Properties settings = new Properties();
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, args[0]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, args[3]);
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, args[4]);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
        // Every count is written, so that one that is missing or comes twice is seen.
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        settings.put(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, Serdes.StringSerde.class);
        settings.put(StreamsConfig.consumerPrefix("session.timeout.ms"), 6_000);
        settings.put(StreamsConfig.consumerPrefix("heartbeat.interval.ms"), 300);
        settings.put(StreamsConfig.consumerPrefix("auto.offset.reset"), "earliest");
        // Repartitioned records are deleted soon after they were processed.
        settings.put(StreamsConfig.REPARTITION_PURGE_INTERVAL_MS_CONFIG, 1_000);

        KafkaStreams streams = new KafkaStreams(builder.build(), settings);
        streams.setUncaughtExceptionHandler(failure -> {
            failure.printStackTrace();
            Runtime.getRuntime().halt(1);
            return null;
        });
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
    }

    private static List<KeyValue<String, String>> words(int number) {
        return Arrays.stream(KINDS)
                .mapToObj(kinds -> KeyValue.pair(kinds + "-" + number % kinds, String.valueOf(number)))
                .toList();
    }
}
