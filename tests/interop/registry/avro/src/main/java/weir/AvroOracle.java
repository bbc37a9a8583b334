package weir;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

/**
 * Answers questions about schemas, one JSON object per line. A question has one of these keys, and the answer has
 * "error" if Avro throws:
 *
 * - schema, references: the canonical text, and the text with references inlined
 * - reader, writer: all differences that make them incompatible
 * - json, of: the value in Avro's JSON encoding as a payload of the schema
 * - payload, of, as: the payload resolved to another schema, as a payload of that
 */
public final class AvroOracle {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private AvroOracle() {
  }

  public static void main(final String[] arguments) throws IOException {
    final BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8)) {
      for (String line = questions.readLine(); line != null; line = questions.readLine()) {
        final ObjectNode answer = MAPPER.createObjectNode();
        try {
          answer(MAPPER.readTree(line), answer);
        } catch (final RuntimeException | IOException | StackOverflowError error) {
          answer.removeAll();
          answer.put("error", error.toString());
        }
        answers.println(answer);
      }
    }
  }

  private static void answer(final JsonNode question, final ObjectNode answer) throws IOException {
    if (question.has("schema")) {
      describe(question, answer);
    } else if (question.has("reader")) {
      compare(parse(question.get("reader")), parse(question.get("writer")), answer.putArray("differences"));
    } else if (question.has("json")) {
      final Schema schema = parse(question.get("of"));
      final Object value = new GenericDatumReader<Object>(schema).read(null,
          DecoderFactory.get().jsonDecoder(schema, question.get("json").textValue()));
      answer.put("payload", encoded(schema, value));
    } else {
      final Schema writer = parse(question.get("of"));
      final Schema reader = parse(question.get("as"));
      final byte[] payload = Base64.getDecoder().decode(question.get("payload").textValue());
      final Object value = new GenericDatumReader<Object>(writer, reader).read(null,
          DecoderFactory.get().binaryDecoder(payload, null));
      answer.put("payload", encoded(reader, value));
    }
  }

  private static void describe(final JsonNode question, final ObjectNode answer) {
    final Schema.Parser parser = parser();
    final List<Schema> references = new ArrayList<>();
    if (question.has("references")) {
      for (final JsonNode reference : question.get("references")) {
        references.add(parser.parse(reference.textValue()));
      }
    }
    final Schema schema = parser.parse(question.get("schema").textValue());
    validateNames(schema, Collections.newSetFromMap(new IdentityHashMap<>()));
    answer.put("text", canonical(schema, references));
    answer.put("resolved", schema.toString());
  }

  @SuppressWarnings("deprecation")
  private static String canonical(final Schema schema, final List<Schema> references) {
    return schema.toString(references, false);
  }

  private static void compare(final Schema reader, final Schema writer, final ArrayNode answer) {
    for (final SchemaCompatibility.Incompatibility difference : SchemaCompatibility
        .checkReaderWriterCompatibility(reader, writer).getResult().getIncompatibilities()) {
      final ObjectNode row = answer.addObject();
      row.put("type", difference.getType().name());
      row.put("path", difference.getLocation());
      row.put("info", difference.getMessage());
    }
  }

  private static String encoded(final Schema schema, final Object value) throws IOException {
    final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    final BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    new GenericDatumWriter<Object>(schema).write(value, encoder);
    encoder.flush();
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  private static Schema parse(final JsonNode text) {
    return parser().parse(text.textValue());
  }

  /** The registry checks names, but not namespaces and aliases. */
  private static Schema.Parser parser() {
    return new Schema.Parser(NameValidator.NO_VALIDATION).setValidateDefaults(true);
  }

  private static void validateNames(final Schema schema, final Set<Schema> seen) {
    if (!seen.add(schema)) {
      return;
    }
    switch (schema.getType()) {
    case RECORD:
      validateName(schema.getName());
      for (final Schema.Field field : schema.getFields()) {
        validateName(field.name());
        validateNames(field.schema(), seen);
      }
      break;
    case ENUM:
      validateName(schema.getName());
      schema.getEnumSymbols().forEach(AvroOracle::validateName);
      break;
    case FIXED:
      validateName(schema.getName());
      break;
    case ARRAY:
      validateNames(schema.getElementType(), seen);
      break;
    case MAP:
      validateNames(schema.getValueType(), seen);
      break;
    case UNION:
      schema.getTypes().forEach(branch -> validateNames(branch, seen));
      break;
    default:
      break;
    }
  }

  private static void validateName(final String name) {
    final NameValidator.Result result = NameValidator.UTF_VALIDATOR.validate(name);
    if (!result.isOK()) {
      throw new IllegalArgumentException(result.getErrors());
    }
  }
}
