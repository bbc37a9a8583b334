package weir.interop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.ApiMessageType.ListenerType;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;

/** What lies on the wire in every version of every message, and which versions a broker offers. */
final class SchemaDump {
    private SchemaDump() {}

    static Map<String, Object> allApis() {
        return Map.of(
                "requestHeader", versions(RequestHeaderData.SCHEMAS),
                "responseHeader", versions(ResponseHeaderData.SCHEMAS),
                "apis", Arrays.stream(ApiMessageType.values()).map(SchemaDump::api).toList());
    }

    private static Map<String, Object> api(ApiMessageType type) {
        Map<String, Object> api = new LinkedHashMap<>();
        api.put("key", type.apiKey());
        api.put("name", type.name);
        api.put("listeners", type.listeners().stream().map(ListenerType::name).toList());
        api.put("lowest", type.lowestSupportedVersion());
        api.put("highest", type.highestSupportedVersion(true));
        api.put("highestStable", type.highestSupportedVersion(false));
        api.put("advertised", advertised(type));
        api.put("headers", headers(type));
        api.put("request", versions(type.requestSchemas()));
        api.put("response", versions(type.responseSchemas()));
        return api;
    }

    /** The range in a broker's ApiVersions answer, or null for what brokers do not serve. */
    private static Map<String, Object> advertised(ApiMessageType type) {
        if (!type.listeners().contains(ListenerType.BROKER)) return null;
        ApiVersion range = ApiKeys.forId(type.apiKey())
                .toApiVersionForApiResponse(false, ListenerType.BROKER)
                .orElseThrow();
        return Map.of("lowest", range.minVersion(), "highest", range.maxVersion());
    }

    private static List<Map<String, Object>> headers(ApiMessageType type) {
        List<Map<String, Object>> headers = new ArrayList<>();
        for (short version = type.lowestSupportedVersion(); version <= type.highestSupportedVersion(true); version++) {
            headers.add(Map.of(
                    "version", version,
                    "request", type.requestHeaderVersion(version),
                    "response", type.responseHeaderVersion(version)));
        }
        return headers;
    }

    /** Apache keeps null in the place of versions that it has given up. */
    private static List<Map<String, Object>> versions(Schema[] schemas) {
        List<Map<String, Object>> versions = new ArrayList<>();
        for (int version = 0; version < schemas.length; version++) {
            if (schemas[version] == null) continue;
            versions.add(Map.of("version", version, "struct", struct(schemas[version])));
        }
        return versions;
    }

    private static Map<String, Object> struct(Schema schema) {
        List<Map<String, Object>> fields = new ArrayList<>();
        List<Map<String, Object>> tagged = null;
        for (BoundField bound : schema.fields()) {
            if (bound.def.type instanceof TaggedFields section) {
                tagged = section.fields().entrySet().stream().map(SchemaDump::taggedField).toList();
            } else {
                fields.add(Map.of("name", bound.def.name, "type", type(bound.def.type)));
            }
        }
        Map<String, Object> struct = new LinkedHashMap<>();
        struct.put("fields", fields);
        struct.put("tagged", tagged);
        return struct;
    }

    private static Map<String, Object> taggedField(Map.Entry<Integer, Field> entry) {
        Field field = entry.getValue();
        return Map.of("tag", entry.getKey(), "name", field.name, "type", type(field.type));
    }

    private static Map<String, Object> type(Type type) {
        if (type instanceof Schema schema) {
            return Map.of("kind", "struct", "nullable", schema.isNullable(), "struct", struct(schema));
        }
        String name = ((Type.DocumentedType) type).typeName();
        boolean compact = name.startsWith("COMPACT_");
        if (type.isArray()) {
            return Map.of(
                    "kind", "array",
                    "compact", compact,
                    "nullable", type.isNullable(),
                    "element", type(type.arrayElementType().orElseThrow()));
        }
        return Map.of(
                "kind", name.replace("COMPACT_", "").replace("NULLABLE_", ""),
                "compact", compact,
                "nullable", type.isNullable());
    }
}
