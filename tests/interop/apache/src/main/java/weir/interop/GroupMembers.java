package weir.interop;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;

/** Consumers in groups, each under a name of its own, and what an admin client sees of their groups. */
final class GroupMembers implements AutoCloseable {
    private final Map<String, GroupMember> members = new HashMap<>();

    /** Gives {@code null} for a command that is not about groups. */
    Object run(String command, String servers, List<String> arguments)
            throws ExecutionException, InterruptedException {
        String first = arguments.isEmpty() ? "" : arguments.get(0);
        return switch (command) {
            case "join-group" -> {
                List<String> settings = arguments.subList(3, arguments.size());
                members.put(first, new GroupMember(servers, arguments.get(1), arguments.get(2), settings));
                yield Map.of();
            }
            case "group-member" -> members.get(first).state();
            case "leave-group" -> members.remove(first).stop();
            case "describe-group" -> describe(servers, first);
            case "group-offsets" -> offsets(servers, first);
            case "list-groups" -> listed(servers);
            case "delete-group" -> delete(servers, first);
            default -> null;
        };
    }

    private static Map<String, Object> describe(String servers, String group)
            throws ExecutionException, InterruptedException {
        try (Admin admin = admin(servers)) {
            ConsumerGroupDescription found =
                    admin.describeConsumerGroups(List.of(group)).all().get().get(group);
            List<Object> assigned = found.members().stream()
                    .map(member -> Map.of(
                            "partitions", GroupMember.sorted(member.assignment().topicPartitions()),
                            "target", member.targetAssignment()
                                    .map(target -> GroupMember.sorted(target.topicPartitions()))
                                    .orElse(List.of()),
                            "instance", member.groupInstanceId().orElse("")))
                    .collect(Collectors.toList());
            return Map.of(
                    "type", found.type().toString(),
                    "state", found.groupState().toString(),
                    "assignor", found.partitionAssignor(),
                    "members", assigned);
        }
    }

    private static Map<String, Object> offsets(String servers, String group)
            throws ExecutionException, InterruptedException {
        try (Admin admin = admin(servers)) {
            Map<String, Object> offsets = new TreeMap<>();
            admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().forEach(
                    (partition, offset) -> offsets.put(partition.toString(), String.valueOf(offset.offset())));
            return offsets;
        }
    }

    private static List<Object> listed(String servers) throws ExecutionException, InterruptedException {
        try (Admin admin = admin(servers)) {
            return admin.listGroups().all().get().stream()
                    .map(group -> group.groupId() + " " + group.type().orElseThrow())
                    .sorted()
                    .collect(Collectors.toList());
        }
    }

    private static Map<String, Object> delete(String servers, String group)
            throws ExecutionException, InterruptedException {
        try (Admin admin = admin(servers)) {
            admin.deleteConsumerGroups(Arrays.asList(group)).all().get();
            return Map.of();
        }
    }

    private static Admin admin(String servers) {
        return Admin.create(Settings.of(servers));
    }

    @Override
    public void close() {
        members.values().forEach(GroupMember::stop);
        members.clear();
    }
}
