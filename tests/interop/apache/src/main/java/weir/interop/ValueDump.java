package weir.interop;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiMessageType.ListenerType;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;

/**
 * What schemas do not tell: the default of every field, and the versions in which a value other than the default is
 * refused because they cannot carry it.
 *
 * <p>Apache keeps this in generated code only, so it is found out by trying.
 */
final class ValueDump {
    private ValueDump() {}

    static List<Map<String, Object>> allApis() {
        return Arrays.stream(ApiMessageType.values())
                .filter(type -> type.listeners().contains(ListenerType.BROKER))
                .map(ValueDump::api)
                .toList();
    }

    private static Map<String, Object> api(ApiMessageType type) {
        return Map.of(
                "key", type.apiKey(),
                "request", fields(type.newRequest().getClass(), type),
                "response", fields(type.newResponse().getClass(), type));
    }

    private static List<Map<String, Object>> fields(Class<? extends Message> owner, ApiMessageType type) {
        return DataField.of(owner).stream().map(field -> row(owner, field, type)).toList();
    }

    private static Map<String, Object> row(Class<? extends Message> owner, DataField field, ApiMessageType type) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("name", field.name());
        row.put("default", defaultText(field.in(Instance.of(owner))));
        row.put("refusedIn", refusedIn(owner, field, type));
        row.put("fields", field.structure().map(nested -> fields(nested, type)).orElse(null));
        return row;
    }

    /** Structures are empty here; what their fields default to is told with the fields. */
    private static String defaultText(Object value) {
        if (value == null) return null;
        if (value instanceof Message) return "empty";
        if (value instanceof Collection<?> list && list.isEmpty()) return "empty";
        if (value instanceof byte[] bytes && bytes.length == 0) return "empty";
        if (value instanceof ByteBuffer bytes && !bytes.hasRemaining()) return "empty";
        return value.toString();
    }

    private static List<Short> refusedIn(Class<? extends Message> owner, DataField field, ApiMessageType type) {
        Message message = Instance.writable(owner);
        field.set(message, OtherValue.than(field.in(message), field));
        List<Short> versions = new ArrayList<>();
        for (short version = type.lowestSupportedVersion(); version <= type.highestSupportedVersion(true); version++) {
            if (refuses(message, version)) versions.add(version);
        }
        return versions;
    }

    private static boolean refuses(Message message, short version) {
        try {
            MessageUtil.toByteBufferAccessor(message, version);
            return false;
        } catch (UnsupportedVersionException refused) {
            return true;
        }
    }
}
