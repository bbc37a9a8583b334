package weir.applications;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionReplica;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;

/**
 * The calls that operators of clusters make through Apache's admin client, in their order: Cruise Control, which
 * balances replicas, and the operators of Strimzi. Each method returns what came of every call.
 */
final class Operators {
    private final Admin admin;
    private final Map<String, String> outcomes = new TreeMap<>();

    private Operators(Admin admin) {
        this.admin = admin;
    }

    static Object run(String command, JsonNode arguments) throws ExecutionException, InterruptedException {
        Map<String, Object> settings = Map.of("bootstrap.servers", AdminCalls.text(arguments, "servers"));
        try (Admin admin = Admin.create(settings)) {
            Operators operators = new Operators(admin);
            if (command.equals("as-cruise-control")) operators.balance();
            else operators.operate();
            return operators.outcomes;
        }
    }

    /** Reads what a model of the load is made of, then moves, elects and throttles. */
    private void balance() throws ExecutionException, InterruptedException {
        // Its samples are kept in topics that it creates itself.
        String samples = "__KafkaCruiseControlPartitionMetricSamples";
        attempt("create samples", () -> admin.createTopics(List.of(new NewTopic(samples, 4, (short) 2)
                        .configs(Map.of("retention.ms", "86400000", "cleanup.policy", "delete"))))
                .all().get());
        List<Integer> nodes = admin.describeCluster().nodes().get().stream().map(Node::id).sorted().toList();
        attempt("log dirs", () -> admin.describeLogDirs(nodes).allDescriptions().get().size() == nodes.size());
        Set<String> topics = admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
        var described = admin.describeTopics(topics).allTopicNames().get();
        TopicPartition first = new TopicPartition(samples, 0);
        List<Integer> replicas =
                described.get(samples).partitions().get(0).replicas().stream().map(Node::id).toList();
        attempt("reassignments", () -> admin.listPartitionReassignments().reassignments().get().isEmpty());
        attempt("replica log dirs", () -> {
            var found = admin.describeReplicaLogDirs(List.of(new TopicPartitionReplica(samples, 0, replicas.get(0))));
            return found.all().get().values().iterator().next().getCurrentReplicaLogDir() != null;
        });
        attempt("configs of topics", () -> configsOf(ConfigResource.Type.TOPIC, samples).get("retention.ms").value());
        attempt("configs of brokers", () -> configsOf(ConfigResource.Type.BROKER, nodes.get(0).toString())
                .containsKey("leader.replication.throttled.rate"));
        ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, nodes.get(0).toString());
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, samples);
        attempt("throttle", () -> change(broker, "leader.replication.throttled.rate", "1000000"));
        attempt("throttle topic", () -> change(topic, "leader.replication.throttled.replicas", "0:" + replicas.get(0)));
        attempt("stay", () -> reassign(first, Optional.of(new NewPartitionReassignment(replicas))));
        List<Integer> reversed = new ArrayList<>(replicas);
        Collections.reverse(reversed);
        attempt("reorder", () -> reassign(first, Optional.of(new NewPartitionReassignment(reversed))));
        attempt("cancel", () -> reassign(first, Optional.empty()));
        attempt("elect", () -> admin.electLeaders(ElectionType.PREFERRED, Set.of(first)).partitions().get().get(first)
                .map(failure -> failure.getClass().getSimpleName())
                .orElse("elected"));
        attempt("move dirs", () -> admin.alterReplicaLogDirs(
                        Map.of(new TopicPartitionReplica(samples, 0, replicas.get(0)), "/elsewhere"))
                .all().get());
        attempt("unthrottle", () -> change(broker, "leader.replication.throttled.rate", null));
        attempt("unthrottle topic", () -> change(topic, "leader.replication.throttled.replicas", null));
    }

    /** Looks at the cluster before a pod is rolled, and reconciles topics and users. */
    private void operate() throws ExecutionException, InterruptedException {
        var options = new DescribeClusterOptions().includeFencedBrokers(true);
        Collection<Node> nodes = admin.describeCluster(options).nodes().get();
        String node = nodes.iterator().next().idString();
        attempt("controller", () -> nodes.contains(admin.describeCluster().controller().get()));
        attempt("quorum", () -> {
            var quorum = admin.describeMetadataQuorum().quorumInfo().get();
            return quorum.voters().stream().anyMatch(voter -> voter.replicaId() == quorum.leaderId());
        });
        attempt("features", () -> admin.describeFeatures().featureMetadata().get()
                .finalizedFeatures().containsKey("metadata.version"));
        attempt("under-replicated", () -> {
            Set<String> names = admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
            return admin.describeTopics(names).allTopicNames().get().values().stream()
                    .flatMap(topic -> topic.partitions().stream())
                    .filter(partition -> partition.isr().size() < partition.replicas().size())
                    .count();
        });
        attempt("configs of brokers", () -> configsOf(ConfigResource.Type.BROKER, node).containsKey("node.id"));
        ConfigResource broker = new ConfigResource(ConfigResource.Type.BROKER, node);
        attempt("change broker", () -> change(broker, "log.cleaner.threads", "2"));
        attempt("restore broker", () -> change(broker, "log.cleaner.threads", null));
        attempt("unregister", () -> admin.unregisterBroker(424_242).all().get());

        String name = "reconciled";
        ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, name);
        attempt("create", () -> admin.createTopics(List.of(
                        new NewTopic(name, 2, (short) 3).configs(Map.of("min.insync.replicas", "2"))))
                .all().get());
        attempt("widen", () -> admin.createPartitions(Map.of(name, NewPartitions.increaseTo(3))).all().get());
        attempt("change topic", () -> change(topic, "retention.ms", "3600000"));
        attempt("configs of topics", () -> configsOf(ConfigResource.Type.TOPIC, name).get("retention.ms").value());
        attempt("replication", () -> admin.describeTopics(List.of(name)).allTopicNames().get().get(name)
                .partitions().get(0).replicas().size());
        attempt("reassignments", () -> admin.listPartitionReassignments().reassignments().get().isEmpty());

        var entity = new ClientQuotaEntity(Map.of(ClientQuotaEntity.USER, "reconciled"));
        attempt("credential", () -> admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                        "reconciled", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), "secret")))
                .all().get());
        attempt("credentials", () -> admin.describeUserScramCredentials(List.of("reconciled")).all().get().size());
        attempt("quota", () -> admin.alterClientQuotas(List.of(new ClientQuotaAlteration(
                        entity, List.of(new ClientQuotaAlteration.Op("producer_byte_rate", 1_000_000.0)))))
                .all().get());
        var resource = new ResourcePattern(ResourceType.TOPIC, name, PatternType.LITERAL);
        var entry = new AccessControlEntry("User:reconciled", "*", AclOperation.READ, AclPermissionType.ALLOW);
        attempt("rule", () -> admin.createAcls(List.of(new AclBinding(resource, entry))).all().get());
        var filter = new AclBindingFilter(
                ResourcePatternFilter.ANY,
                new AccessControlEntryFilter("User:reconciled", null, AclOperation.ANY, AclPermissionType.ANY));
        attempt("remove rules", () -> admin.deleteAcls(List.of(filter)).all().get().size());
        attempt("remove quota", () -> admin.alterClientQuotas(List.of(new ClientQuotaAlteration(
                        entity, List.of(new ClientQuotaAlteration.Op("producer_byte_rate", null)))))
                .all().get());
        attempt("remove credential", () -> admin.alterUserScramCredentials(
                        List.of(new UserScramCredentialDeletion("reconciled", ScramMechanism.SCRAM_SHA_512)))
                .all().get());
        attempt("delete", () -> admin.deleteTopics(List.of(name)).all().get());
    }

    private Map<String, ConfigEntry> configsOf(ConfigResource.Type type, String name)
            throws ExecutionException, InterruptedException {
        ConfigResource resource = new ConfigResource(type, name);
        Config config = admin.describeConfigs(List.of(resource)).all().get().get(resource);
        return config.entries().stream().collect(Collectors.toMap(ConfigEntry::name, entry -> entry));
    }

    private Void change(ConfigResource resource, String name, String value)
            throws ExecutionException, InterruptedException {
        var type = value == null ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET;
        var change = new AlterConfigOp(new ConfigEntry(name, value), type);
        return admin.incrementalAlterConfigs(Map.of(resource, List.of(change))).all().get();
    }

    private Void reassign(TopicPartition partition, Optional<NewPartitionReassignment> replicas)
            throws ExecutionException, InterruptedException {
        return admin.alterPartitionReassignments(Map.of(partition, replicas)).all().get();
    }

    /** Keeps the answer as text, `done` if there is none, or the type of the failure. */
    private void attempt(String name, Callable<Object> call) throws InterruptedException {
        try {
            Object answer = call.call();
            outcomes.put(name, answer == null ? "done" : answer.toString());
        } catch (InterruptedException stopped) {
            throw stopped;
        } catch (ExecutionException failed) {
            outcomes.put(name, failed.getCause().getClass().getSimpleName());
        } catch (Exception failed) {
            outcomes.put(name, failed.toString());
        }
    }
}
