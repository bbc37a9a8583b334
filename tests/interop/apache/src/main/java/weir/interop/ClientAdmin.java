package weir.interop;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;

/** Apache's admin client. */
final class ClientAdmin {
    private ClientAdmin() {}

    static Object run(String command, String servers, List<String> arguments)
            throws ExecutionException, InterruptedException {
        try (Admin admin = Admin.create(Settings.of(servers))) {
            Object ofAcls = ClientAcls.run(command, admin, arguments);
            if (ofAcls != null) return ofAcls;
            return switch (command) {
                case "create-topic" -> createTopic(admin, arguments.get(0), Integer.parseInt(arguments.get(1)));
                case "delete-topic" -> deleteTopic(admin, arguments.get(0));
                case "create-partitions" -> createPartitions(
                        admin, arguments.get(0), Integer.parseInt(arguments.get(1)));
                case "list-topics" -> admin.listTopics().names().get().stream().sorted().toList();
                case "describe-topic" -> describeTopic(admin, arguments.get(0));
                case "describe-cluster" -> describeCluster(admin);
                case "cluster-config" -> clusterConfig(admin, arguments);
                case "list-offset" -> listOffset(
                        admin, arguments.get(0), Integer.parseInt(arguments.get(1)), arguments.get(2));
                default -> throw new IllegalArgumentException("no command " + command);
            };
        }
    }

    private static Map<String, Object> createTopic(Admin admin, String topic, int partitions)
            throws ExecutionException, InterruptedException {
        NewTopic asked = new NewTopic(topic, Optional.of(partitions), Optional.empty());
        var created = admin.createTopics(List.of(asked));
        created.all().get();
        return Map.of(
                "topicId", created.topicId(topic).get().toString(),
                "partitions", created.numPartitions(topic).get());
    }

    private static Map<String, Object> deleteTopic(Admin admin, String topic)
            throws ExecutionException, InterruptedException {
        admin.deleteTopics(List.of(topic)).all().get();
        return Map.of();
    }

    /** Sets {@code name=value} each for all brokers. */
    private static Map<String, Object> clusterConfig(Admin admin, List<String> settings)
            throws ExecutionException, InterruptedException {
        List<AlterConfigOp> changes = settings.stream()
                .map(setting -> setting.split("=", 2))
                .map(parts -> new AlterConfigOp(new ConfigEntry(parts[0], parts[1]), AlterConfigOp.OpType.SET))
                .toList();
        ConfigResource allBrokers = new ConfigResource(ConfigResource.Type.BROKER, "");
        admin.incrementalAlterConfigs(Map.of(allBrokers, changes)).all().get();
        return Map.of();
    }

    private static Map<String, Object> createPartitions(Admin admin, String topic, int total)
            throws ExecutionException, InterruptedException {
        admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(total))).all().get();
        return Map.of();
    }

    private static Map<String, Object> describeTopic(Admin admin, String topic)
            throws ExecutionException, InterruptedException {
        TopicDescription found =
                admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
        return Map.of(
                "topicId", found.topicId().toString(),
                "internal", found.isInternal(),
                "partitions",
                        found.partitions().stream()
                                .map(info -> List.of(info.partition(), address(info.leader())))
                                .toList());
    }

    private static Map<String, Object> describeCluster(Admin admin) throws ExecutionException, InterruptedException {
        DescribeClusterResult found = admin.describeCluster();
        return Map.of(
                "clusterId", found.clusterId().get(),
                "controller", address(found.controller().get()),
                "nodes",
                        found.nodes().get().stream()
                                .map(ClientAdmin::address)
                                .sorted()
                                .toList());
    }

    private static String address(Node node) {
        return node.host() + ":" + node.port();
    }

    private static Map<String, Object> listOffset(Admin admin, String topic, int partition, String position)
            throws ExecutionException, InterruptedException {
        OffsetSpec spec =
                switch (position) {
                    case "earliest" -> OffsetSpec.earliest();
                    case "latest" -> OffsetSpec.latest();
                    case "max-timestamp" -> OffsetSpec.maxTimestamp();
                    default -> OffsetSpec.forTimestamp(Long.parseLong(position));
                };
        TopicPartition one = new TopicPartition(topic, partition);
        ListOffsetsResultInfo found =
                admin.listOffsets(Map.of(one, spec)).partitionResult(one).get();
        return Map.of(
                "offset", String.valueOf(found.offset()), "timestamp", String.valueOf(found.timestamp()));
    }
}
