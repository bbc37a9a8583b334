package weir.applications;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.utils.Exit;

/** The programs behind Apache's scripts, one at a time, because each has the output to itself. */
final class Tools {
    /** A tool that ends the process ends itself only. */
    private static final class Ended extends RuntimeException {
        private static final long serialVersionUID = 1L;
        final int status;

        Ended(int status) {
            super("ended with " + status);
            this.status = status;
        }
    }

    /** The first that the tool asked for: some take the end for a failure, and ask again. */
    private Integer askedStatus;

    Tools() {
        Exit.setExitProcedure((status, message) -> {
            if (askedStatus == null) askedStatus = status;
            throw new Ended(askedStatus);
        });
    }

    /** Gives the status and everything that the tool printed. */
    synchronized Map<String, Object> run(JsonNode arguments) {
        List<String> args = new ArrayList<>();
        arguments.get("args").forEach(one -> args.add(one.asText()));
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream capture = new PrintStream(printed, true, StandardCharsets.UTF_8);
        int status = 0;
        askedStatus = null;
        System.setOut(capture);
        System.setErr(capture);
        try {
            Class.forName(arguments.get("main").asText())
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) args.toArray(String[]::new));
        } catch (InvocationTargetException failed) {
            if (!(failed.getCause() instanceof Ended ended)) throw new IllegalStateException(failed.getCause());
            status = ended.status;
        } catch (ReflectiveOperationException failed) {
            throw new IllegalArgumentException(failed);
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return Map.of("status", status, "printed", printed.toString(StandardCharsets.UTF_8));
    }
}
