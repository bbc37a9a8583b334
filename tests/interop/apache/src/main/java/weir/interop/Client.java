package weir.interop;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/**
 * Apache's clients against a broker that runs.
 *
 * <p>A line is {@code <command> <bootstrap servers> <arguments…>}. The answer is {@code OK <JSON>} or {@code ERR <reason>}.
 */
final class Client implements AutoCloseable {
    private final GroupMembers groups = new GroupMembers();
    private final ShareMembers shares = new ShareMembers();
    private final TransactionalProducers transactions = new TransactionalProducers();
    private SteadyProducer steady;

    String answer(String line) {
        try {
            String[] words = line.split(" ");
            List<String> arguments = Arrays.asList(words).subList(2, words.length);
            return "OK " + Json.text(run(words[0], words[1], arguments));
        } catch (ExecutionException failed) {
            return refusal(failed.getCause());
        } catch (InterruptedException | RuntimeException failed) {
            return refusal(failed);
        }
    }

    private Object run(String command, String servers, List<String> arguments)
            throws ExecutionException, InterruptedException {
        Object ofGroups = groups.run(command, servers, arguments);
        if (ofGroups != null) return ofGroups;
        Object ofShares = shares.run(command, servers, arguments);
        if (ofShares != null) return ofShares;
        Object ofTransactions = transactions.run(command, servers, arguments);
        if (ofTransactions != null) return ofTransactions;
        return switch (command) {
            case "produce" -> ClientProducer.produce(servers, arguments);
            case "read" -> ClientReader.readFromStart(servers, arguments.get(0));
            case "read-over-damage" -> ClientReader.readOverDamage(servers, arguments.get(0));
            case "read-committed" -> ClientReader.readCommitted(servers, arguments.get(0));
            case "read-from-offset" -> ClientReader.readFromOffset(
                    servers, arguments.get(0), Long.parseLong(arguments.get(1)));
            case "read-from-time" -> ClientReader.readFromTime(
                    servers, arguments.get(0), Long.parseLong(arguments.get(1)));
            case "start" -> start(servers, arguments.get(0), Integer.parseInt(arguments.get(1)));
            case "progress" -> steady.progress();
            case "finish" -> steady.finish();
            default -> ClientAdmin.run(command, servers, arguments);
        };
    }

    private Map<String, Object> start(String servers, String topic, int partitions) {
        if (steady != null) steady.close();
        steady = new SteadyProducer(servers, topic, partitions);
        return Map.of();
    }

    /** With all that it was caused by. A reason of several lines would be taken for several answers. */
    private static String refusal(Throwable failure) {
        StringBuilder reason = new StringBuilder("ERR");
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) reason.append(' ').append(cause);
        return reason.toString().replaceAll("\\s+", " ");
    }

    @Override
    public void close() {
        groups.close();
        shares.close();
        transactions.close();
        if (steady != null) steady.close();
    }
}
