package weir.interop;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;

/** How clients reach their brokers. */
final class Settings {
    private static final String FILE = "@";

    private Settings() {}

    /** Of {@code host:port}, or of {@code @} and a file of properties, for clients that need more to be let in. */
    static Map<String, Object> of(String servers) {
        Map<String, Object> settings = new HashMap<>();
        if (!servers.startsWith(FILE)) {
            settings.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, servers);
            return settings;
        }
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(Path.of(servers.substring(FILE.length())))) {
            properties.load(reader);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        for (String name : properties.stringPropertyNames()) settings.put(name, properties.getProperty(name));
        return settings;
    }

    /** The same, and {@code setting=value} each. */
    static Map<String, Object> of(String servers, List<String> further) {
        Map<String, Object> settings = of(servers);
        for (String setting : further) {
            int equals = setting.indexOf('=');
            settings.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        return settings;
    }
}
