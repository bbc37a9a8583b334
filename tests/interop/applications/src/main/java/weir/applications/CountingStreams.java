package weir.applications;

import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Materialized;

/**
 * A topology of Kafka Streams, with exactly-once processing unless told otherwise: every number of the input becomes three words, which are
 * repartitioned and counted. Each new count of a word is a record of the output.
 *
 * <p>{@code <servers> <input> <output> <state directory> <application id> [<group protocol> <guarantee>]}. Prints a line when it begins to process, and
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

        Properties settings = ExactlyOnceStreams.settings(args[0], args[3], args[4]);
        settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
        String protocol = args.length > 5 ? args[5] : "classic";
        settings.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, protocol);
        if (args.length > 6) settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, args[6]);
        // The cluster decides about sessions of streams groups.
        if (protocol.equals("classic")) {
            settings.put(StreamsConfig.consumerPrefix("session.timeout.ms"), 6_000);
            settings.put(StreamsConfig.consumerPrefix("heartbeat.interval.ms"), 300);
        }
        // Repartitioned records are deleted soon after they were processed.
        settings.put(StreamsConfig.REPARTITION_PURGE_INTERVAL_MS_CONFIG, 1_000);
        ExactlyOnceStreams.start(builder.build(), settings);
    }

    private static List<KeyValue<String, String>> words(int number) {
        return Arrays.stream(KINDS)
                .mapToObj(kinds -> KeyValue.pair(kinds + "-" + number % kinds, String.valueOf(number)))
                .toList();
    }
}
