package weir.interop;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ShareGroupDescription;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** Consumers in share groups, each under a name of its own, and what an admin client sees and changes of their groups. */
final class ShareMembers implements AutoCloseable {
    private final Map<String, ShareMember> members = new HashMap<>();

    /** Gives {@code null} for a command that is not about share groups. */
    Object run(String command, String servers, List<String> arguments)
            throws ExecutionException, InterruptedException {
        String first = arguments.isEmpty() ? "" : arguments.get(0);
        List<String> rest = arguments.isEmpty() ? arguments : arguments.subList(1, arguments.size());
        return switch (command) {
            case "share-join" -> {
                members.put(first, new ShareMember(servers, rest.get(0), rest.get(1), rest.subList(2, rest.size())));
                yield Map.of();
            }
            case "share-poll" -> members.get(first).poll(Integer.parseInt(rest.get(0)), rest.get(1));
            case "share-commit" -> members.get(first).commit();
            case "share-close" -> members.remove(first).stop();
            case "share-config" -> configure(servers, first, rest);
            case "share-describe" -> describe(servers, first);
            case "share-offsets" -> offsets(servers, first);
            case "share-alter-offset" -> alterOffset(servers, first, rest);
            case "share-delete-offsets" -> deleteOffsets(servers, first, rest.get(0));
            case "share-delete" -> delete(servers, first);
            default -> null;
        };
    }

    private static Map<String, Object> configure(String servers, String group, List<String> settings)
            throws ExecutionException, InterruptedException {
        List<AlterConfigOp> changes = settings.stream()
                .map(setting -> setting.split("="))
                .map(pair -> new AlterConfigOp(new ConfigEntry(pair[0], pair[1]), AlterConfigOp.OpType.SET))
                .collect(Collectors.toList());
        try (Admin admin = admin(servers)) {
            ConfigResource resource = new ConfigResource(ConfigResource.Type.GROUP, group);
            admin.incrementalAlterConfigs(Map.of(resource, changes)).all().get();
            return Map.of();
        }
    }

    private static Map<String, Object> describe(String servers, String group)
            throws ExecutionException, InterruptedException {
        try (Admin admin = admin(servers)) {
            ShareGroupDescription found = admin.describeShareGroups(List.of(group)).all().get().get(group);
            List<Object> assigned = found.members().stream()
                    .map(member -> (Object) GroupMember.sorted(member.assignment().topicPartitions()))
                    .collect(Collectors.toList());
            return Map.of("state", found.groupState().toString(), "assigned", assigned);
        }
    }

    /** Start and lag of every partition that the group has begun with. */
    private static Map<String, Object> offsets(String servers, String group)
            throws ExecutionException, InterruptedException {
        try (Admin admin = admin(servers)) {
            Map<String, Object> offsets = new TreeMap<>();
            admin.listShareGroupOffsets(Map.of(group, new ListShareGroupOffsetsSpec()))
                    .partitionsToOffsetInfo(group)
                    .get()
                    .forEach((partition, info) -> offsets.put(
                            partition.toString(),
                            info == null ? null : info.startOffset() + " lag " + info.lag().map(String::valueOf).orElse("unknown")));
            return offsets;
        }
    }

    private static Map<String, Object> alterOffset(String servers, String group, List<String> arguments)
            throws ExecutionException, InterruptedException {
        TopicPartition partition = new TopicPartition(arguments.get(0), Integer.parseInt(arguments.get(1)));
        try (Admin admin = admin(servers)) {
            admin.alterShareGroupOffsets(group, Map.of(partition, Long.parseLong(arguments.get(2)))).all().get();
            return Map.of();
        }
    }

    private static Map<String, Object> deleteOffsets(String servers, String group, String topic)
            throws ExecutionException, InterruptedException {
        try (Admin admin = admin(servers)) {
            admin.deleteShareGroupOffsets(group, Set.of(topic)).all().get();
            return Map.of();
        }
    }

    private static Map<String, Object> delete(String servers, String group)
            throws ExecutionException, InterruptedException {
        try (Admin admin = admin(servers)) {
            admin.deleteShareGroups(List.of(group)).all().get();
            return Map.of();
        }
    }

    private static Admin admin(String servers) {
        return Admin.create(Settings.of(servers));
    }

    @Override
    public void close() {
        members.values().forEach(ShareMember::stop);
        members.clear();
    }
}
