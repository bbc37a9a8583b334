package weir.interop;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;

/**
 * ACLs as Apache's admin client makes, finds and deletes them. One is written as {@code
 * TOPIC:LITERAL:name:User:alice:host:READ:ALLOW}; in filters {@code -} stands for any name, principal or host, and {@code ANY} for
 * any of the rest. Principals may hold colons, names and hosts may not.
 */
final class ClientAcls {
    private ClientAcls() {}

    static Object run(String command, Admin admin, List<String> arguments)
            throws ExecutionException, InterruptedException {
        return switch (command) {
            case "create-acls" -> create(admin, arguments);
            case "describe-acls" -> sorted(admin.describeAcls(filter(arguments.get(0))).values().get());
            case "delete-acls" -> sorted(
                    admin.deleteAcls(arguments.stream().map(ClientAcls::filter).toList()).all().get());
            default -> null;
        };
    }

    private static List<String> create(Admin admin, List<String> acls) throws ExecutionException, InterruptedException {
        admin.createAcls(acls.stream().map(ClientAcls::binding).toList()).all().get();
        return acls;
    }

    private static AclBinding binding(String text) {
        Parts parts = new Parts(text);
        return new AclBinding(
                new ResourcePattern(parts.resource, parts.name, parts.pattern),
                new AccessControlEntry(parts.principal, parts.host, parts.operation, parts.permission));
    }

    private static AclBindingFilter filter(String text) {
        Parts parts = new Parts(text);
        return new AclBindingFilter(
                new ResourcePatternFilter(parts.resource, any(parts.name), parts.pattern),
                new AccessControlEntryFilter(
                        any(parts.principal), any(parts.host), parts.operation, parts.permission));
    }

    private static String any(String text) {
        return text.equals("-") ? null : text;
    }

    private static List<String> sorted(Collection<AclBinding> found) {
        List<String> texts = new ArrayList<>();
        for (AclBinding acl : found) {
            texts.add(String.join(
                    ":",
                    acl.pattern().resourceType().name(),
                    acl.pattern().patternType().name(),
                    acl.pattern().name(),
                    acl.entry().principal(),
                    acl.entry().host(),
                    acl.entry().operation().name(),
                    acl.entry().permissionType().name()));
        }
        return texts.stream().sorted().toList();
    }

    private static final class Parts {
        final ResourceType resource;
        final PatternType pattern;
        final String name;
        final String principal;
        final String host;
        final AclOperation operation;
        final AclPermissionType permission;

        Parts(String text) {
            String[] words = text.split(":");
            int last = words.length - 1;
            resource = ResourceType.valueOf(words[0]);
            pattern = PatternType.valueOf(words[1]);
            name = words[2];
            principal = String.join(":", List.of(words).subList(3, last - 2));
            host = words[last - 2];
            operation = AclOperation.valueOf(words[last - 1]);
            permission = AclPermissionType.valueOf(words[last]);
        }
    }
}
