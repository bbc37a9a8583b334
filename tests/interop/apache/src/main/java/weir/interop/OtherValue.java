package weir.interop;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** For every field a value that is not its default. */
final class OtherValue {
    private OtherValue() {}

    static Object than(Object value, DataField field) {
        Class<?> type = field.type();
        if (value instanceof Boolean flag) return !flag;
        if (value instanceof Byte number) return (byte) (number + 1);
        if (value instanceof Short number) return (short) (number + 1);
        if (value instanceof Integer number) return number + 1;
        if (value instanceof Long number) return number + 1;
        if (value instanceof Double number) return number + 1;
        if (type == String.class) return value + "x";
        if (type == Uuid.class) return Uuid.METADATA_TOPIC_ID;
        if (type == byte[].class) return new byte[] {1};
        if (type == ByteBuffer.class) return ByteBuffer.wrap(new byte[] {1});
        if (type == BaseRecords.class) return MemoryRecords.EMPTY;
        if (field.isCollection()) return oneElement(field);
        return changed(Instance.writable(type.asSubclass(Message.class)));
    }

    private static Collection<Object> oneElement(DataField field) {
        Object element = field.structure()
                .<Object>map(Instance::writable)
                .orElseGet(() -> scalar(field.elementClass()));
        return field.type() == List.class ? List.of(element) : linked(field.type(), element);
    }

    private static Object scalar(Class<?> type) {
        if (type == String.class) return "x";
        if (type == Uuid.class) return Uuid.METADATA_TOPIC_ID;
        if (type == Byte.class) return (byte) 1;
        if (type == Short.class) return (short) 1;
        if (type == Integer.class) return 1;
        if (type == Long.class) return 1L;
        throw new IllegalArgumentException("no value for a list of " + type);
    }

    @SuppressWarnings("unchecked")
    private static Collection<Object> linked(Class<?> type, Object element) {
        Collection<Object> collection = (Collection<Object>) Instance.of(type.asSubclass(Collection.class));
        collection.add(element);
        return collection;
    }

    private static Message changed(Message message) {
        DataField first = DataField.of(message.getClass()).get(0);
        first.set(message, than(first.in(message), first));
        return message;
    }
}
