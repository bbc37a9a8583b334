package weir.interop;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

/** Apache's error codes. */
final class ErrorDump {
    private ErrorDump() {}

    static List<Map<String, Object>> allErrors() {
        return Arrays.stream(Errors.values()).map(ErrorDump::row).toList();
    }

    private static Map<String, Object> row(Errors error) {
        return Map.of(
                "code", error.code(),
                "name", error.name(),
                "retriable", error.exception() instanceof RetriableException);
    }
}
