package weir.applications;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.internals.PluginMetricsImpl;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.common.utils.SecurityUtils;
import org.apache.kafka.metadata.authorizer.StandardAcl;
import org.apache.kafka.metadata.authorizer.StandardAuthorizer;
import org.apache.kafka.server.authorizer.Action;
import org.apache.kafka.server.authorizer.AuthorizableRequestContext;
import org.apache.kafka.server.authorizer.AuthorizationResult;

/** Apache's own authorizer: decides questions by rules, without a broker around it. */
final class Authorizer {
    private Authorizer() {}

    /**
     * Answers each of {@code questions} by {@code acls}: {@code [principal, host, operation, resource type, name]}, and without the name
     * whether there is any resource on which the principal may.
     */
    static List<Boolean> decide(JsonNode arguments) {
        StandardAuthorizer authorizer = new StandardAuthorizer();
        authorizer.configure(Map.of());
        authorizer.withPluginMetrics(new PluginMetricsImpl(new Metrics(), Map.of()));
        Map<Uuid, StandardAcl> rules = new HashMap<>();
        for (JsonNode acl : arguments.get("acls")) rules.put(Uuid.randomUuid(), rule(acl));
        authorizer.loadSnapshot(rules);
        authorizer.completeInitialLoad();
        List<Boolean> answers = new ArrayList<>();
        for (JsonNode question : arguments.get("questions")) {
            Client client = new Client(question.get(0).asText(), question.get(1).asText());
            AclOperation operation = AclOperation.valueOf(question.get(2).asText());
            ResourceType type = ResourceType.valueOf(question.get(3).asText());
            AuthorizationResult result;
            if (question.has(4)) {
                ResourcePattern resource = new ResourcePattern(type, question.get(4).asText(), PatternType.LITERAL);
                Action action = new Action(operation, resource, 1, true, true);
                result = authorizer.authorize(client, List.of(action)).get(0);
            } else {
                result = authorizer.authorizeByResourceType(client, operation, type);
            }
            answers.add(result == AuthorizationResult.ALLOWED);
        }
        return answers;
    }

    private static StandardAcl rule(JsonNode acl) {
        return new StandardAcl(
                ResourceType.valueOf(acl.get("resourceType").asText()),
                acl.get("resourceName").asText(),
                PatternType.valueOf(acl.get("patternType").asText()),
                acl.get("principal").asText(),
                acl.get("host").asText(),
                AclOperation.valueOf(acl.get("operation").asText()),
                AclPermissionType.valueOf(acl.get("permission").asText()));
    }

    private record Client(String name, String host) implements AuthorizableRequestContext {
        @Override
        public String listenerName() {
            return "CLIENTS";
        }

        @Override
        public SecurityProtocol securityProtocol() {
            return SecurityProtocol.PLAINTEXT;
        }

        @Override
        public KafkaPrincipal principal() {
            return SecurityUtils.parseKafkaPrincipal(name);
        }

        @Override
        public InetAddress clientAddress() {
            try {
                return InetAddress.getByName(host);
            } catch (UnknownHostException notAnAddress) {
                throw new IllegalArgumentException(notAnAddress);
            }
        }

        @Override
        public int requestType() {
            return 0;
        }

        @Override
        public int requestVersion() {
            return 0;
        }

        @Override
        public String clientId() {
            return "judge";
        }

        @Override
        public int correlationId() {
            return 0;
        }
    }
}
