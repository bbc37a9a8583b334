package weir.applications;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Calls of Apache's admin client about offsets, groups, producers and transactions. */
final class AdminOfGroups {
    private AdminOfGroups() {}

    static Object run(Admin admin, String command, JsonNode arguments)
            throws ExecutionException, InterruptedException {
        return switch (command) {
            case "list-offsets" -> listOffsets(admin, AdminCalls.partition(arguments));
            case "list-groups" -> {
                Map<String, Object> groups = new TreeMap<>();
                admin.listGroups().all().get().forEach(group -> groups.put(
                        group.groupId(),
                        group.type().orElseThrow() + " " + group.groupState().orElseThrow() + " " + group.protocol()));
                yield groups;
            }
            case "describe-consumer-group" -> describeConsumerGroup(admin, group(arguments));
            case "describe-classic-group" -> {
                var found = admin.describeClassicGroups(List.of(group(arguments)))
                        .all()
                        .get()
                        .get(group(arguments));
                yield Map.of(
                        "protocol", found.protocol(),
                        "data", found.protocolData(),
                        "state", found.state().toString(),
                        "members", found.members().size());
            }
            case "group-offsets" -> {
                Map<String, Object> offsets = new TreeMap<>();
                admin.listConsumerGroupOffsets(group(arguments))
                        .partitionsToOffsetAndMetadata()
                        .get()
                        .forEach((partition, offset) ->
                                offsets.put(partition.toString(), List.of(offset.offset(), offset.metadata())));
                yield offsets;
            }
            case "alter-group-offset" -> AdminCalls.done(admin.alterConsumerGroupOffsets(
                            group(arguments),
                            Map.of(
                                    AdminCalls.partition(arguments),
                                    new OffsetAndMetadata(
                                            arguments.get("offset").asLong(),
                                            Optional.empty(),
                                            AdminCalls.text(arguments, "metadata"))))
                    .all()
                    .get());
            case "delete-group-offset" -> AdminCalls.done(
                    admin.deleteConsumerGroupOffsets(group(arguments), Set.of(AdminCalls.partition(arguments)))
                            .all()
                            .get());
            case "delete-group" -> AdminCalls.done(
                    admin.deleteConsumerGroups(List.of(group(arguments))).all().get());
            case "remove-member" -> AdminCalls.done(admin.removeMembersFromConsumerGroup(
                            group(arguments),
                            new RemoveMembersFromConsumerGroupOptions(
                                    Set.of(new MemberToRemove(AdminCalls.text(arguments, "instance")))))
                    .all()
                    .get());
            case "describe-producers" -> admin
                    .describeProducers(List.of(AdminCalls.partition(arguments)))
                    .partitionResult(AdminCalls.partition(arguments))
                    .get()
                    .activeProducers()
                    .stream()
                    .map(one -> Map.of(
                            "lastSequence", one.lastSequence(),
                            "openFrom", one.currentTransactionStartOffset().orElse(-1)))
                    .toList();
            case "describe-transaction" -> describeTransaction(admin, AdminCalls.text(arguments, "transactionalId"));
            case "list-transactions" -> {
                Map<String, Object> found = new TreeMap<>();
                admin.listTransactions().all().get().forEach(
                        one -> found.put(one.transactionalId(), one.state().toString()));
                yield found;
            }
            case "fence-producers" -> AdminCalls.done(
                    admin.fenceProducers(List.of(AdminCalls.text(arguments, "transactionalId")))
                            .all()
                            .get());
            default -> throw new IllegalArgumentException("no command " + command);
        };
    }

    private static String group(JsonNode arguments) {
        return AdminCalls.text(arguments, "group");
    }

    private static Object listOffsets(Admin admin, TopicPartition partition)
            throws ExecutionException, InterruptedException {
        Map<String, OffsetSpec> specs = Map.of(
                "earliest", OffsetSpec.earliest(),
                "latest", OffsetSpec.latest(),
                "maxTimestamp", OffsetSpec.maxTimestamp(),
                "earliestLocal", OffsetSpec.earliestLocal());
        Map<String, Object> offsets = new HashMap<>();
        for (Map.Entry<String, OffsetSpec> spec : specs.entrySet()) {
            offsets.put(
                    spec.getKey(),
                    admin.listOffsets(Map.of(partition, spec.getValue()))
                            .partitionResult(partition)
                            .get()
                            .offset());
        }
        return offsets;
    }

    private static Object describeConsumerGroup(Admin admin, String group)
            throws ExecutionException, InterruptedException {
        var found = admin.describeConsumerGroups(List.of(group)).all().get().get(group);
        return Map.of(
                "type", found.type().toString(),
                "state", found.groupState().toString(),
                "assignor", found.partitionAssignor(),
                "members",
                        found.members().stream()
                                .map(member -> Map.of(
                                        "clientId", member.clientId(),
                                        "instance", member.groupInstanceId().orElse(""),
                                        "partitions",
                                                member.assignment().topicPartitions().stream()
                                                        .map(TopicPartition::toString)
                                                        .sorted()
                                                        .toList()))
                                .toList());
    }

    private static Object describeTransaction(Admin admin, String transactionalId)
            throws ExecutionException, InterruptedException {
        var found = admin.describeTransactions(List.of(transactionalId)).all().get().get(transactionalId);
        return Map.of(
                "state", found.state().toString(),
                "timeoutMs", found.transactionTimeoutMs(),
                "isOpen", found.transactionStartTimeMs().isPresent(),
                "partitions",
                        found.topicPartitions().stream()
                                .map(TopicPartition::toString)
                                .sorted()
                                .toList());
    }
}
