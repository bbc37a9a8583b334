/**
 * The meaning of filters, by example. The reference page shows them, and tests run them against the evaluator and its
 * compiled form.
 */
interface ExampleSection {
  readonly title: string;
  /** Markdown. */
  readonly rule: string;
  readonly rows: readonly Example[];
}

/** A filter, the `data` of an event, and whether the event passes. */
export type Example = readonly [filter: string, data: unknown, passes: boolean];

export const exampleSections: readonly ExampleSection[] = [
  {
    title: 'Comparison',
    rule: `\`==\`, \`!=\`, \`<\`, \`>\`, \`<=\` and \`>=\` compare a field with one value. Values of different types are never equal and have no order: a
number is not a text that looks like it, and \`!=\` passes. Numbers compare as numbers, whether they were written as integers or not. Texts compare by their
characters, capital letters before small ones; times in UTC compare as times if they are written with as many digits. \`true\`, \`false\` and \`null\` have no order.`,
    rows: [
      ['data.operation == "CREATE"', { operation: 'CREATE' }, true],
      ['data.operation == "CREATE"', { operation: 'create' }, false],
      ['data.operation != "CREATE"', { operation: 'ALTER' }, true],
      ['data.operation != "CREATE"', { operation: 'CREATE' }, false],
      ['data.kafka_api_key == 3', { kafka_api_key: 3 }, true],
      ['data.kafka_api_key == 3.0', { kafka_api_key: 3 }, true],
      ['data.kafka_api_key == "3"', { kafka_api_key: 3 }, false],
      ['data.kafka_api_key != "3"', { kafka_api_key: 3 }, true],
      ['data.value > 10', { value: 9.5 }, false],
      ['data.value > 10', { value: 10.5 }, true],
      ['data.value > 10', { value: '11' }, false],
      ['data.value >= 10', { value: 10 }, true],
      ['data.value < -1.5e3', { value: -2000 }, true],
      ['data.value <= 10', { value: 10 }, true],
      ['data.value <= 10', { value: 10.1 }, false],
      ['data.started > "2026-11-15T10:00:00Z"', { started: '2026-11-15T10:30:00Z' }, true],
      ['data.name < "b"', { name: 'a' }, true],
      ['data.name < "b"', { name: 'B' }, true],
      ['data.name < "b"', { name: 5 }, false],
      ['data.is_log == true', { is_log: true }, true],
      ['data.is_log == true', { is_log: 'true' }, false],
      ['data.is_log != true', { is_log: false }, true],
    ],
  },
  {
    title: 'Patterns',
    rule: `\`like\` matches a whole string against a pattern. \`%\` matches any characters, or none; every other character matches
itself, \`_\` too, and capital letters are not small ones. \`\\%\` is a percent sign and \`\\\\\` a backslash; in the quotes of a filter each backslash is
written twice. What is not a text is not like anything.`,
    rows: [
      ['data.message like "connection%"', { message: 'connection closed' }, true],
      ['data.message like "connection%"', { message: 'the connection closed' }, false],
      ['data.message like "%closed"', { message: 'connection closed' }, true],
      ['data.message like "%tion%"', { message: 'connection closed' }, true],
      ['data.message like "con%clo%"', { message: 'connection closed' }, true],
      ['data.message like "con%con"', { message: 'con' }, false],
      ['data.message like "Connection%"', { message: 'connection closed' }, false],
      ['data.message like "closed"', { message: 'connection closed' }, false],
      ['data.message like "%"', { message: '' }, true],
      ['data.message like "a_c"', { message: 'abc' }, false],
      ['data.message like "%100\\\\%%"', { message: 'disk at 100% of its size' }, true],
      ['data.message like "%100\\\\%%"', { message: 'disk at 1000 files' }, false],
      ['data.message not like "%timeout%"', { message: 'connection closed' }, true],
      ['data.message not like "%timeout%"', { message: 'a timeout' }, false],
      ['data.kafka_api_key like "3%"', { kafka_api_key: 3 }, false],
      ['data.kafka_api_key not like "3%"', { kafka_api_key: 3 }, true],
    ],
  },
  {
    title: 'Lists',
    rule: '`in` passes when the field equals one of the values of the list, which may be of different types.',
    rows: [
      ['data.log_level in ["warn", "error"]', { log_level: 'warn' }, true],
      ['data.log_level in ["warn", "error"]', { log_level: 'info' }, false],
      ['data.log_level not in ["info", "debug"]', { log_level: 'warn' }, true],
      ['data.log_level not in ["info", "debug"]', { log_level: 'info' }, false],
      ['data.kafka_api_key in [3, "Metadata"]', { kafka_api_key: 3 }, true],
    ],
  },
  {
    title: 'Missing fields and null',
    rule: `Null is no value: a field that is null, that an event does not have, or that is an array without elements has none. A condition says
something about a value, so that no condition passes an event where its field has none, **not even \`!=\`, \`not like\` and \`not in\`**. Who wants these
events too asks for them: \`== null\` passes where there is no value, and \`!= null\` where there is one. Null in a list of \`in\` does the same.`,
    rows: [
      ['data.stage == "input"', {}, false],
      ['data.stage != "input"', {}, false],
      ['data.stage != "input" or data.stage == null', {}, true],
      ['data.stage == null', {}, true],
      ['data.stage == null', { stage: null }, true],
      ['data.stage == null', { stage: [] }, true],
      ['data.stage == null', { stage: '' }, false],
      ['data.stage != null', { stage: 0 }, true],
      ['data.stage != null', {}, false],
      ['data.stage < 5', {}, false],
      ['data.stage >= 5', { stage: null }, false],
      ['data.stage not like "x%"', {}, false],
      ['data.stage not in ["input"]', {}, false],
      ['data.stage in ["input", null]', {}, true],
      ['data.stage not in ["input", null]', { stage: 'output' }, true],
      ['data.stage.name == null', { stage: 'input' }, true],
    ],
  },
  {
    title: 'Fields',
    rule: `Dots lead into objects. A name with characters other than letters, digits and \`_\` stands in backticks, and so does a word of the language
at the beginning of a field. A dot within backticks is a character of the name. An object is a value, and equals nothing.`,
    rows: [
      ['data.table.name == "orders"', { table: { name: 'orders' } }, true],
      ['data.`table.name` == "orders"', { table: { name: 'orders' } }, false],
      ['data.`table.name` == "orders"', { 'table.name': 'orders' }, true],
      ['data.`consumer-group` == "g"', { 'consumer-group': 'g' }, true],
      ['data.in == 1', { in: 1 }, true],
      ['`like` == null', {}, true],
      ['data.table != null', { table: {} }, true],
      ['data.table == "orders"', { table: { name: 'orders' } }, false],
      ['data.constructor == null', {}, true],
    ],
  },
  {
    title: 'Arrays',
    rule: `An array stands for its elements: an operator passes when one of them does, and a negated one when none of them equals, or is like,
what it excludes. Dots lead into the objects of an array. An array within an array is like an object.`,
    rows: [
      ['data.topics == "orders"', { topics: ['users', 'orders'] }, true],
      ['data.topics != "orders"', { topics: ['users', 'orders'] }, false],
      ['data.topics != "orders"', { topics: ['users'] }, true],
      ['data.topics like "o%"', { topics: ['users', 'orders'] }, true],
      ['data.topics in ["orders"]', { topics: ['users', 'orders'] }, true],
      ['data.lags > 100', { lags: [5, 500] }, true],
      ['data.groups.name == "g2"', { groups: [{ name: 'g1' }, { name: 'g2' }] }, true],
      ['data.topics == null', { topics: [] }, true],
      ['data.topics == null', { topics: ['users', null] }, false],
      ['data.topics == "orders"', { topics: [['orders']] }, false],
    ],
  },
  {
    title: 'Casts',
    rule: `\`::int\`, \`::float\` and \`::str\` follow a field. \`::float\` converts a string that is a number, and \`true\` and \`false\` to 1 and 0; \`::int\` also
truncates fractions. \`::str\` writes numbers, \`true\` and \`false\` as JSON does. What has no such form has no value.`,
    rows: [
      ['data.port::int == 9092', { port: '9092' }, true],
      ['data.port::int == 9092', { port: 9092.7 }, true],
      ['data.port::int == -1', { port: '-1.9' }, true],
      ['data.port::int > 9000', { port: 'none' }, false],
      ['data.port::int == null', { port: 'none' }, true],
      ['data.port::int != 9092', { port: 'none' }, false],
      ['data.port::int == null', { port: '' }, true],
      ['data.value::float >= 0.5', { value: '0.75' }, true],
      ['data.value::float == 1000', { value: '1e3' }, true],
      ['data.is_log::int == 1', { is_log: true }, true],
      ['data.kafka_api_key::str == "3"', { kafka_api_key: 3 }, true],
      ['data.kafka_api_key::str like "3%"', { kafka_api_key: 36 }, true],
      ['data.is_log::str == "true"', { is_log: true }, true],
      ['data.table::str == null', { table: {} }, true],
      ['data.ports::int in [9092]', { ports: ['9092', '9093'] }, true],
    ],
  },
  {
    title: 'And, or, chains',
    rule: `\`and\` binds tighter than \`or\`, and parentheses bind tightest. Filters may be chained with \`|\`, which binds loosest of all: an event must
pass every one of them. A filter without conditions passes everything.`,
    rows: [
      ['data.a == 1 or data.b == 1 and data.c == 1', { a: 1, b: 0, c: 0 }, true],
      ['(data.a == 1 or data.b == 1) and data.c == 1', { a: 1, b: 0, c: 0 }, false],
      ['data.a == 1 or data.b == 1 | data.c == 1', { a: 1, b: 0, c: 0 }, false],
      ['data.a == 1 or data.b == 1 | data.c == 1', { a: 1, b: 0, c: 1 }, true],
      ['', {}, true],
    ],
  },
];
