package weir.applications;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StoreQueryParameters;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.QueryableStoreTypes;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;

/**
 * A topology of Kafka Streams with exactly-once processing whose state is the last value of every key of the input. The
 * state has a changelog, from which an application with an empty directory restores it.
 *
 * <p>{@code <servers> <input> <state directory> <application id>}. Prints the whole state at intervals, while it runs.
 */
public final class TableStreams {
    private static final String STORE = "latest";
    private static final long INTERVAL_MS = 300;

    private TableStreams() {}

    public static void main(String[] args) throws InterruptedException {
        StreamsBuilder builder = new StreamsBuilder();
        builder.table(args[1], Materialized.<String, String, KeyValueStore<Bytes, byte[]>>as(STORE));

        Properties settings = ExactlyOnceStreams.settings(args[0], args[2], args[3]);
        settings.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, 100);
        KafkaStreams streams = ExactlyOnceStreams.start(builder.build(), settings);
        while (streams.state() != KafkaStreams.State.NOT_RUNNING) {
            if (streams.state() == KafkaStreams.State.RUNNING) printState(streams);
            Thread.sleep(INTERVAL_MS);
        }
    }

    private static void printState(KafkaStreams streams) {
        Map<String, String> state = new TreeMap<>();
        try {
            ReadOnlyKeyValueStore<String, String> store = streams.store(
                    StoreQueryParameters.fromNameAndType(STORE, QueryableStoreTypes.keyValueStore()));
            try (KeyValueIterator<String, String> all = store.all()) {
                while (all.hasNext()) {
                    KeyValue<String, String> entry = all.next();
                    state.put(entry.key, entry.value);
                }
            }
            System.out.println(Applications.JSON.writeValueAsString(Map.of("state", state)));
        } catch (InvalidStateStoreException moving) {
            // The next interval tries again.
        } catch (JsonProcessingException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
