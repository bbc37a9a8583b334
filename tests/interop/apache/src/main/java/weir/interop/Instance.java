package weir.interop;

import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Generated classes have a constructor without arguments that sets every default. */
final class Instance {
    private Instance() {}

    static <T> T of(Class<T> type) {
        try {
            return type.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Records start out as null even where null cannot be written. */
    static Message writable(Class<? extends Message> type) {
        Message message = of(type);
        for (DataField field : DataField.of(type)) {
            if (field.type() == BaseRecords.class) field.set(message, MemoryRecords.EMPTY);
        }
        return message;
    }
}
