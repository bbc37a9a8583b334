package weir.applications;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.ListConfigResourcesOptions;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.quota.ClientQuotaFilter;

/** Calls of Apache's admin client about topics, configs and the cluster; those about groups and transactions are elsewhere. */
final class AdminCalls {
    private AdminCalls() {}

    static Object run(String command, JsonNode arguments) throws ExecutionException, InterruptedException {
        Map<String, Object> settings = Map.of("bootstrap.servers", arguments.get("servers").asText());
        try (Admin admin = Admin.create(settings)) {
            return switch (command) {
                case "create-topic" -> createTopic(admin, arguments);
                case "delete-topic" -> done(admin.deleteTopics(List.of(text(arguments, "topic"))).all().get());
                case "list-topics" -> admin.listTopics().names().get();
                case "describe-topic" -> describeTopic(admin, text(arguments, "topic"));
                case "create-partitions" -> done(admin.createPartitions(Map.of(
                                text(arguments, "topic"),
                                NewPartitions.increaseTo(arguments.get("partitions").asInt())))
                        .all()
                        .get());
                case "describe-cluster" -> describeCluster(admin);
                case "describe-features" -> describeFeatures(admin);
                case "describe-configs" -> describeConfigs(admin, arguments);
                case "alter-configs" -> alterConfigs(admin, arguments);
                case "list-config-resources" -> admin
                        .listConfigResources(Set.of(type(arguments)), new ListConfigResourcesOptions())
                        .all()
                        .get()
                        .stream()
                        .map(ConfigResource::name)
                        .sorted()
                        .toList();
                case "delete-records" -> deleteRecords(admin, arguments);
                case "describe-log-dirs" -> describeLogDirs(admin);
                case "elect-leaders" -> electLeaders(admin, arguments);
                case "list-reassignments" -> admin
                        .listPartitionReassignments()
                        .reassignments()
                        .get()
                        .size();
                case "alter-quotas" -> alterQuotas(admin, arguments);
                case "describe-quotas" -> describeQuotas(admin);
                case "alter-scram" -> alterScram(admin, arguments);
                case "describe-scram" -> describeScram(admin);
                default -> AdminOfGroups.run(admin, command, arguments);
            };
        }
    }

    static String text(JsonNode arguments, String name) {
        return arguments.get(name).asText();
    }

    static TopicPartition partition(JsonNode arguments) {
        return new TopicPartition(text(arguments, "topic"), arguments.get("partition").asInt());
    }

    /** For calls that answer nothing but that they are done. */
    static Map<String, Object> done(Object nothing) {
        if (nothing != null) throw new IllegalStateException("there is an answer: " + nothing);
        return Map.of();
    }

    private static Object createTopic(Admin admin, JsonNode arguments)
            throws ExecutionException, InterruptedException {
        Map<String, String> configs = new HashMap<>();
        if (arguments.has("configs")) {
            arguments.get("configs").properties().forEach(one -> configs.put(one.getKey(), one.getValue().asText()));
        }
        String topic = text(arguments, "topic");
        NewTopic asked = new NewTopic(
                topic, Optional.of(arguments.get("partitions").asInt()), Optional.empty());
        return admin.createTopics(List.of(asked.configs(configs))).config(topic).get().entries().stream()
                .filter(entry -> configs.containsKey(entry.name()))
                .collect(Collectors.toMap(ConfigEntry::name, ConfigEntry::value));
    }

    private static Object describeTopic(Admin admin, String topic) throws ExecutionException, InterruptedException {
        var found = admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic);
        return Map.of(
                "internal", found.isInternal(),
                "partitions", found.partitions().size(),
                "led", found.partitions().stream().allMatch(one -> one.leader() != null));
    }

    private static Object describeCluster(Admin admin) throws ExecutionException, InterruptedException {
        var found = admin.describeCluster();
        List<String> nodes = found.nodes().get().stream().map(AdminCalls::address).sorted().toList();
        return Map.of(
                "clusterId", found.clusterId().get(),
                "controllerIsNode", nodes.contains(address(found.controller().get())),
                "nodes", nodes,
                "ids", found.nodes().get().stream().map(Node::idString).toList(),
                "racks", found.nodes().get().stream().map(Node::rack).sorted().toList());
    }

    private static String address(Node node) {
        return node.host() + ":" + node.port();
    }

    private static Object describeFeatures(Admin admin) throws ExecutionException, InterruptedException {
        Map<String, Object> levels = new TreeMap<>();
        admin.describeFeatures()
                .featureMetadata()
                .get()
                .finalizedFeatures()
                .forEach((name, range) -> levels.put(name, range.maxVersionLevel()));
        return levels;
    }

    private static ConfigResource.Type type(JsonNode arguments) {
        return ConfigResource.Type.valueOf(text(arguments, "type"));
    }

    private static ConfigResource resource(JsonNode arguments) {
        return new ConfigResource(type(arguments), text(arguments, "name"));
    }

    private static Object describeConfigs(Admin admin, JsonNode arguments)
            throws ExecutionException, InterruptedException {
        ConfigResource resource = resource(arguments);
        DescribeConfigsOptions options =
                new DescribeConfigsOptions().includeSynonyms(true).includeDocumentation(true);
        Map<String, Object> configs = new TreeMap<>();
        for (ConfigEntry entry : admin.describeConfigs(List.of(resource), options).all().get().get(resource).entries()) {
            Map<String, Object> config = new HashMap<>();
            config.put("value", entry.value());
            config.put("source", entry.source().name());
            config.put("type", entry.type().name());
            config.put("readOnly", entry.isReadOnly());
            config.put("documented", entry.documentation() != null && !entry.documentation().isEmpty());
            config.put(
                    "synonyms",
                    entry.synonyms().stream()
                            .map(one -> one.name() + " " + one.source().name())
                            .toList());
            configs.put(entry.name(), config);
        }
        return configs;
    }

    /** The changes are {@code [operation, name, value]}. */
    private static Object alterConfigs(Admin admin, JsonNode arguments)
            throws ExecutionException, InterruptedException {
        List<AlterConfigOp> changes = new ArrayList<>();
        arguments.get("changes").forEach(change -> changes.add(new AlterConfigOp(
                new ConfigEntry(change.get(1).asText(), change.get(2).isNull() ? null : change.get(2).asText()),
                AlterConfigOp.OpType.valueOf(change.get(0).asText()))));
        return done(admin.incrementalAlterConfigs(Map.of(resource(arguments), changes)).all().get());
    }

    private static Object deleteRecords(Admin admin, JsonNode arguments)
            throws ExecutionException, InterruptedException {
        TopicPartition partition = partition(arguments);
        RecordsToDelete before = RecordsToDelete.beforeOffset(arguments.get("offset").asLong());
        return admin.deleteRecords(Map.of(partition, before))
                .lowWatermarks()
                .get(partition)
                .get()
                .lowWatermark();
    }

    /** The bytes that each topic has in the whole cluster. */
    private static Object describeLogDirs(Admin admin) throws ExecutionException, InterruptedException {
        List<Integer> brokers = admin.describeCluster().nodes().get().stream().map(Node::id).toList();
        Map<String, Long> bytes = new TreeMap<>();
        admin.describeLogDirs(brokers).allDescriptions().get().values().forEach(dirs -> dirs.values()
                .forEach(dir -> dir.replicaInfos()
                        .forEach((partition, replica) -> bytes.merge(partition.topic(), replica.size(), Long::sum))));
        return bytes;
    }

    private static Object electLeaders(Admin admin, JsonNode arguments)
            throws ExecutionException, InterruptedException {
        Map<String, Object> answers = new TreeMap<>();
        admin.electLeaders(ElectionType.PREFERRED, Set.of(partition(arguments)))
                .partitions()
                .get()
                .forEach((partition, failure) -> answers.put(
                        partition.toString(),
                        failure.map(one -> one.getClass().getSimpleName()).orElse("elected")));
        return answers;
    }

    /** Each of {@code quotas} is set, or removed where its value is null. */
    private static Object alterQuotas(Admin admin, JsonNode arguments)
            throws ExecutionException, InterruptedException {
        Map<String, String> entries = new HashMap<>();
        arguments.get("entity").properties().forEach(one -> entries.put(
                one.getKey(), one.getValue().isNull() ? null : one.getValue().asText()));
        List<ClientQuotaAlteration.Op> changes = new ArrayList<>();
        arguments.get("quotas").properties().forEach(one -> changes.add(new ClientQuotaAlteration.Op(
                one.getKey(), one.getValue().isNull() ? null : one.getValue().asDouble())));
        return done(admin.alterClientQuotas(
                        List.of(new ClientQuotaAlteration(new ClientQuotaEntity(entries), changes)))
                .all()
                .get());
    }

    private static Object describeQuotas(Admin admin) throws ExecutionException, InterruptedException {
        List<Object> found = new ArrayList<>();
        admin.describeClientQuotas(ClientQuotaFilter.all()).entities().get().forEach((entity, quotas) ->
                found.add(Map.of("entity", entity.entries(), "quotas", quotas)));
        return found;
    }

    /** A credential with a password is made or replaced; one without is deleted. */
    private static Object alterScram(Admin admin, JsonNode arguments)
            throws ExecutionException, InterruptedException {
        String user = text(arguments, "user");
        ScramMechanism mechanism = ScramMechanism.valueOf(text(arguments, "mechanism"));
        UserScramCredentialAlteration change = arguments.has("password")
                ? new UserScramCredentialUpsertion(
                        user, new ScramCredentialInfo(mechanism, 8192), text(arguments, "password"))
                : new UserScramCredentialDeletion(user, mechanism);
        return done(admin.alterUserScramCredentials(List.of(change)).all().get());
    }

    private static Object describeScram(Admin admin) throws ExecutionException, InterruptedException {
        Map<String, Object> users = new TreeMap<>();
        admin.describeUserScramCredentials().all().get().forEach((user, description) -> users.put(
                user,
                description.credentialInfos().stream()
                        .map(one -> one.mechanism() + " " + one.iterations())
                        .toList()));
        return users;
    }
}
