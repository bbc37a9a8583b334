package weir;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Reads tables with Spark. Arguments are settings of Spark; then one JSON request per line on stdin, one JSON answer per
 * line on stdout.
 */
public final class SparkReader {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final SparkSession spark;

  private SparkReader(SparkSession spark) {
    this.spark = spark;
  }

  public static void main(String[] arguments) throws Exception {
    // Whatever else is printed must not end up between answers.
    PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    System.setOut(System.err);
    SparkSession.Builder builder = SparkSession.builder().master("local[1]").appName("weir");
    for (String argument : arguments) {
      int at = argument.indexOf('=');
      builder.config(argument.substring(0, at), argument.substring(at + 1));
    }
    SparkReader reader = new SparkReader(builder.getOrCreate());
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      ObjectNode answer = JSON.objectNode();
      try {
        JsonNode request = MAPPER.readTree(line);
        answer.set("result", reader.answer(request.get("call").asText(), request.get("arguments")));
      } catch (Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        answer.put("error", text.toString());
      }
      answers.println(answer);
    }
    reader.spark.stop();
  }

  private JsonNode answer(String call, JsonNode arguments) {
    return switch (call) {
      case "read_rows" -> readRows(arguments);
      case "ids_of" -> idsOf(arguments);
      case "run" -> run(arguments.get("sql").asText());
      default -> throw new IllegalArgumentException(call);
    };
  }

  private Dataset<Row> table(JsonNode arguments) {
    String isVectorized = String.valueOf(arguments.path("isVectorized").asBoolean(true));
    Dataset<Row> all =
        spark.read().option("vectorization-enabled", isVectorized).table(arguments.get("table").asText());
    if (!arguments.has("columns")) {
      return all;
    }
    List<String> columns = new ArrayList<>();
    arguments.get("columns").forEach(one -> columns.add("`" + one.asText() + "`"));
    return all.selectExpr(columns.toArray(String[]::new));
  }

  /** All rows, in the order of their ids. */
  private JsonNode readRows(JsonNode arguments) {
    Dataset<Row> found = table(arguments);
    TreeMap<Long, JsonNode> rows = new TreeMap<>();
    for (Row row : found.collectAsList()) {
      if (rows.put(row.getLong(row.fieldIndex("id")), shown(found.schema(), row)) != null) {
        throw new IllegalStateException("a row was read twice");
      }
    }
    return JSON.arrayNode().addAll(rows.values());
  }

  /** For each filter the ids that a scan finds, and those of the same filter over rows in memory. */
  private JsonNode idsOf(JsonNode arguments) {
    Dataset<Row> scanned = table(arguments);
    Dataset<Row> inMemory = spark.createDataFrame(scanned.collectAsList(), scanned.schema());
    ArrayNode answers = JSON.arrayNode();
    for (JsonNode filter : arguments.get("filters")) {
      ObjectNode answer = JSON.objectNode();
      answer.set("scanned", ids(scanned.filter(filter.asText())));
      answer.set("expected", ids(inMemory.filter(filter.asText())));
      answers.add(answer);
    }
    return answers;
  }

  private static ArrayNode ids(Dataset<Row> rows) {
    ArrayNode ids = JSON.arrayNode();
    rows.select("id").collectAsList().stream().map(row -> row.getLong(0)).sorted().forEach(id -> ids.add(id.toString()));
    return ids;
  }

  private JsonNode run(String sql) {
    ArrayNode rows = JSON.arrayNode();
    Dataset<Row> found = spark.sql(sql);
    found.collectAsList().forEach(row -> rows.add(shown(found.schema(), row)));
    return rows;
  }

  /** A value as all readers show it: numbers are texts, floating-point numbers their bits, maps sorted pairs. */
  private static JsonNode shown(DataType type, Object value) {
    if (value == null) {
      return JSON.nullNode();
    }
    if (type instanceof StructType struct) {
      ObjectNode fields = JSON.objectNode();
      Row row = (Row) value;
      for (int at = 0; at < row.length(); at++) {
        StructField field = struct.fields()[at];
        fields.set(field.name(), shown(field.dataType(), row.get(at)));
      }
      return fields;
    }
    if (type instanceof ArrayType list) {
      ArrayNode elements = JSON.arrayNode();
      for (Object one : scala.jdk.javaapi.CollectionConverters.asJava((scala.collection.Iterable<?>) value)) {
        elements.add(shown(list.elementType(), one));
      }
      return elements;
    }
    if (type instanceof MapType map) {
      TreeMap<String, JsonNode> pairs = new TreeMap<>();
      Map<?, ?> entries = scala.jdk.javaapi.CollectionConverters.asJava((scala.collection.Map<?, ?>) value);
      entries.forEach(
          (key, one) -> {
            JsonNode shownKey = shown(map.keyType(), key);
            pairs.put(shownKey.asText(), JSON.arrayNode().add(shownKey).add(shown(map.valueType(), one)));
          });
      return JSON.arrayNode().addAll(pairs.values());
    }
    return shownPrimitive(value);
  }

  private static JsonNode shownPrimitive(Object value) {
    if (value instanceof Boolean flag) {
      return JSON.booleanNode(flag);
    }
    if (value instanceof Float number) {
      return JSON.textNode(number.isNaN() ? "NaN" : String.format("%08x", Float.floatToIntBits(number)));
    }
    if (value instanceof Double number) {
      return JSON.textNode(number.isNaN() ? "NaN" : String.format("%016x", Double.doubleToLongBits(number)));
    }
    if (value instanceof BigDecimal number) {
      return JSON.textNode(number.toPlainString());
    }
    if (value instanceof LocalDate day) {
      return JSON.textNode(String.valueOf(day.toEpochDay()));
    }
    if (value instanceof Instant instant) {
      return JSON.textNode(micros(instant));
    }
    if (value instanceof LocalDateTime local) {
      return JSON.textNode(micros(local.toInstant(ZoneOffset.UTC)));
    }
    if (value instanceof byte[] bytes) {
      return JSON.textNode(HexFormat.of().formatHex(bytes));
    }
    return JSON.textNode(value.toString());
  }

  private static String micros(Instant instant) {
    return String.valueOf(instant.getEpochSecond() * 1_000_000 + instant.getNano() / 1000);
  }
}
