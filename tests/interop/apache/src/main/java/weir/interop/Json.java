package weir.interop;

import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

/** Maps, lists, names, numbers, booleans and null as JSON. */
final class Json {
    private Json() {}

    static String text(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> quoted(String.valueOf(entry.getKey())) + ":" + text(entry.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        }
        if (value instanceof Collection<?> list) {
            return list.stream().map(Json::text).collect(Collectors.joining(",", "[", "]"));
        }
        if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Short) {
            return String.valueOf(value);
        }
        if (value instanceof String string) return quoted(string);
        throw new IllegalArgumentException("no JSON for " + value.getClass());
    }

    /** Names and default values need no escapes; one that does must not slip through as broken JSON. */
    private static String quoted(String string) {
        boolean plain = string.chars().allMatch(c -> c >= ' ' && c < 127 && c != '"' && c != '\\');
        if (!plain) throw new IllegalArgumentException("needs an escape: " + string);
        return '"' + string + '"';
    }
}
