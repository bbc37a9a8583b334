package weir.interop;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.utils.ImplicitLinkedHashCollection;

/** A field of one of Apache's generated classes, reached by reflection. */
record DataField(Field field) {
    /** Fields in the order of the definition, without those that serve the class itself. */
    static List<DataField> of(Class<? extends Message> owner) {
        return Arrays.stream(owner.getDeclaredFields())
                .filter(field -> !Modifier.isStatic(field.getModifiers()))
                .filter(field -> !field.getName().equals("_unknownTaggedFields"))
                .filter(field -> !isLink(owner, field))
                .map(DataField::new)
                .toList();
    }

    /** Elements of a linked collection know their neighbours by index. */
    private static boolean isLink(Class<?> owner, Field field) {
        boolean linked = ImplicitLinkedHashCollection.Element.class.isAssignableFrom(owner);
        return linked && (field.getName().equals("prev") || field.getName().equals("next"));
    }

    String name() {
        return field.getName();
    }

    Class<?> type() {
        return field.getType();
    }

    Object in(Message message) {
        try {
            field.setAccessible(true);
            return field.get(message);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    void set(Message message, Object value) {
        try {
            field.setAccessible(true);
            field.set(message, value);
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The class of the structure that the field holds, be it one or a list of them. */
    Optional<Class<? extends Message>> structure() {
        Class<?> type = isCollection() ? elementClass() : type();
        return Message.class.isAssignableFrom(type) ? Optional.of(type.asSubclass(Message.class)) : Optional.empty();
    }

    boolean isCollection() {
        return Collection.class.isAssignableFrom(type());
    }

    /** A field is a {@code List<X>}, or of a class of its own that extends a collection of X. */
    Class<?> elementClass() {
        Type type = type() == List.class ? field.getGenericType() : type().getGenericSuperclass();
        return (Class<?>) ((ParameterizedType) type).getActualTypeArguments()[0];
    }
}
