package weir.bench;

import java.util.HashMap;
import java.util.Map;

/** One line of work. A name that was not given is an error, so that no figure rests on a default that nobody sees. */
record Command(String name, Map<String, String> values) {
    private static final String CLIENT_PREFIX = "client.";

    static Command parse(String line) {
        String[] words = line.trim().split(" ");
        Map<String, String> values = new HashMap<>();
        for (int at = 1; at < words.length; at++) {
            String[] parts = words[at].split("=", 2);
            if (parts.length != 2) throw new IllegalArgumentException(words[at] + " is no name=value");
            values.put(parts[0], parts[1]);
        }
        return new Command(words[0], values);
    }

    String text(String key) {
        String value = values.get(key);
        if (value == null) throw new IllegalArgumentException(name + " needs " + key);
        return value;
    }

    int integer(String key) {
        return Integer.parseInt(text(key));
    }

    long whole(String key) {
        return Long.parseLong(text(key));
    }

    /** The settings of the client: what was given as {@code client.<setting>} and the server; the rest is Apache's. */
    Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", text("servers"));
        for (Map.Entry<String, String> entry : values.entrySet()) {
            if (!entry.getKey().startsWith(CLIENT_PREFIX)) continue;
            settings.put(entry.getKey().substring(CLIENT_PREFIX.length()), entry.getValue());
        }
        return settings;
    }
}
