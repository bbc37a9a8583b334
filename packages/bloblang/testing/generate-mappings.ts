import { type Random, seededRandom } from '@weir/core';

/** A mapping and the message that it gets. */
export interface GeneratedCase {
  readonly mapping: string;
  readonly input: string;
}

/** Fields of the message, by what they hold. */
const fields = [
  'a',
  'b',
  'n',
  'm',
  'f',
  's',
  't',
  'u',
  'list',
  'words',
  'objs',
  'obj',
  'yes',
  'nil',
  'ts',
  'none',
  'obj.x',
  'list.0',
  'objs.1.k',
];

const literals = [
  ...[
    '0',
    '1',
    '-1',
    '2',
    '3',
    '7',
    '10',
    '100',
    '1000000',
    '9007199254740993',
    '9223372036854775807',
    '2.5',
    '0.1',
    '1.0',
    '-3.7',
    '1000000.0',
    '0.00001',
  ],
  ...[
    '""',
    '"a"',
    '"abc"',
    '"5"',
    '"2.50"',
    '"true"',
    '"Hello World"',
    '"héllo ✓"',
    '"a,b,c"',
    '"2020-08-14T05:54:23Z"',
    '"{\\"k\\":[1,2]}"',
    '"  x "',
    '"aGVsbG8="',
    '"<b>&"',
  ],
  ...[
    'true',
    'false',
    'null',
    '[]',
    '{}',
    '[3,1,2]',
    '["b","a"]',
    '{"k":1,"v":"x"}',
    '[[1],[2,3]]',
    'deleted()',
    'nothing()',
  ],
] as const;

const operators = ['+', '-', '*', '/', '%', '==', '!=', '<', '<=', '>', '>=', '&&', '||', '|'] as const;

/** Methods with arguments; `Q` is a query for an element, `E` any expression. */
const methods = [
  ...[
    'uppercase()',
    'lowercase()',
    'capitalize()',
    'length()',
    'string()',
    'number()',
    'bool()',
    'type()',
    'bytes().string()',
    'not_null()',
    'not_empty()',
    'reverse()',
    'trim()',
    'quote()',
    'escape_html()',
    'unescape_html()',
    'escape_url_query()',
    'keys()',
    'enumerated()',
    'flatten()',
    'sum()',
    'min()',
    'max()',
    'sort()',
    'unique()',
    'array()',
    'abs()',
    'ceil()',
    'floor()',
    'round()',
    'int64()',
    'int32()',
    'uint8()',
    'float64()',
    'collapse()',
    'collapse(true)',
    'parse_json()',
    'format_json(no_indent: true).string()',
    'format_json().string()',
    'parse_duration()',
    'ts_unix()',
    'ts_unix_nano()',
    'squash()',
    'join()',
    'not()',
    'parse_csv()',
    'parse_url()',
    'filepath_split()',
    'parse_form_url_encoded()',
  ],
  ...[
    'contains(E)',
    'contains("a")',
    'has_prefix("a")',
    'has_suffix("c")',
    'index_of("l")',
    'split(",")',
    'split("")',
    'trim("a ")',
    'trim_prefix("a")',
    'trim_suffix("c")',
    'replace_all("a","bb")',
    'replace_all_many(["a","b","b","c"])',
    'repeat(2)',
    'slice(1)',
    'slice(0,2)',
    'slice(-2)',
    'index(0)',
    'index(-1)',
    'index(5)',
    'get("k")',
    'get("0")',
    'exists("x")',
    'exists("k")',
    'append(E, 1)',
    'concat([1])',
    'merge({"k":2})',
    'merge(E)',
    'assign({"k":2,"q":null})',
    'without("k")',
    'without("x.y")',
    'with("k","x")',
    'join("-")',
    'find(1)',
    'find_all(1)',
    'zip([1,2,3])',
    'explode("x")',
    'set("k", 5)',
    'hash("sha1").encode("hex")',
    'hash("crc32").encode("hex")',
    'hash("xxhash64").string()',
    'hash("fnv32").string()',
    'encode("base64")',
    'encode("hex")',
    'encode("ascii85")',
    'decode("base64").string()',
    'ts_format("2006-01-02 15:04:05.000 Mon Jan _2 MST")',
    'ts_format("Monday 3:04PM", "America/New_York")',
    'ts_strftime("%Y-%m-%d %H:%M:%S %a %j %e %p %y")',
    'ts_round(3600000000000).ts_format()',
    'ts_parse("2006-01-02T15:04:05Z07:00").ts_unix()',
    'ts_add_iso8601("P1M2DT3H").ts_format()',
    'ts_tz("Europe/Berlin").ts_format()',
    're_match("[a-c]+")',
    're_find_all("[a-z]")',
    're_find_all_submatch("(a)(b)?")',
    're_find_object("(?P<first>.)(.)?")',
    're_replace_all("([a-z])","<$1>")',
    're_replace_all("x*","-")',
    'format(E)',
    'bool(true)',
    'number(3)',
    'pow(2)',
    'catch("caught")',
    'or("other")',
    'catch(E)',
    'or(E)',
  ],
  ...[
    'map_each(Q)',
    'filter(Q)',
    'any(Q)',
    'all(Q)',
    'sort_by(Q)',
    'find_by(Q)',
    'fold(0, item -> item.tally + item.value)',
    'fold("", item -> item.tally + item.value.string())',
    'map_each_key(key -> key.uppercase())',
    'sort(left > right)',
    'unique(Q)',
    'split_by(Q)',
    'map_each(item -> E)',
    'filter(item -> item.type() == "number")',
    '(Q)',
  ],
] as const;

const queries = [
  'this',
  'this > 1',
  'this.k',
  'this.value',
  'x -> x',
  'x -> x.string()',
  'this.type() == "string"',
  'this == 1',
  'this * 2',
  'if this == 1 { deleted() } else { this }',
  'if this == 1 { nothing() } else { "z" }',
  'x -> x.k | 5',
  'this.length()',
] as const;

const messages = [
  {
    a: 1,
    b: -2,
    n: 5,
    m: 12,
    f: 2.5,
    s: 'abc',
    t: 'Hello, World',
    u: 'héllo ✓',
    list: [3, 1, 2],
    words: ['b', 'a', 'c'],
    objs: [{ k: 2 }, { k: 1, v: 'q' }],
    obj: { x: { y: 1 }, k: [1, 2] },
    yes: true,
    nil: null,
    ts: '2020-08-14T05:54:23.123456789+02:00',
  },
  {
    a: '7',
    b: [],
    n: 0,
    m: 1.5,
    f: -0.5,
    s: '',
    t: 'a,b\nc,d',
    u: '日本語',
    list: [],
    words: [1, 'x', null],
    objs: {},
    obj: { x: [1, { y: 2 }], k: 'v' },
    yes: false,
    nil: {},
    ts: 1597405526,
  },
  {
    a: {},
    b: { k: null },
    n: 1e3,
    m: 9007199254740991,
    f: 1e21,
    s: 'Zebra',
    t: '1h30m',
    u: 'a b',
    list: [1, 1.5, 2],
    words: ['x', 'x', 'y'],
    objs: [{ k: 'b' }, { k: 'a' }],
    obj: { x: {}, k: { z: 1 } },
    yes: 'true',
    nil: [null],
    ts: 1597405526.5,
  },
] as const;

/** Mappings of many kinds, most of which run; the same for the same seed. */
export function generatedCases(seed: number, count: number): GeneratedCase[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => generated(random));
}

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random.below(items.length)]!;

function generated(random: Random): GeneratedCase {
  const statements: string[] = [];
  if (random.below(3) === 0) statements.push('root = this');
  const count = 1 + random.below(3);
  for (let index = 0; index < count; index++) statements.push(statement(random));
  return { mapping: `${statements.join('\n')}\n`, input: JSON.stringify(pick(random, messages)) };
}

function statement(random: Random): string {
  const value = expression(random, 3);
  const target = pick(random, [
    'root.r',
    'root.r',
    'root.obj.k',
    'root.new.deep',
    'root',
    'root.list.0',
    'root.a.b',
  ]);
  switch (random.below(12)) {
    case 0:
      return `let v = ${value}\n${target} = $v`;
    case 1:
      return `meta k = ${value}\nroot.m = @k`;
    case 2:
      return `if ${expression(random, 2)} {\n  ${target} = ${value}\n}`;
    case 3:
      return `${target} = match ${operand(random, 1)} {\n  ${pick(random, literals)} => ${value}\n  this == 1 => "one"\n  _ => ${operand(random, 1)}\n}`;
    default:
      return `${target} = ${value}`;
  }
}

function expression(random: Random, depth: number): string {
  let text = operand(random, depth);
  while (depth > 0 && random.below(3) === 0)
    text += ` ${pick(random, operators)} ${operand(random, depth - 1)}`;
  return text;
}

function operand(random: Random, depth: number): string {
  if (depth <= 0) return term(random);
  switch (random.below(9)) {
    case 0:
      return `(${expression(random, depth - 1)})`;
    case 1:
      return `[${expression(random, depth - 1)}, ${term(random)}]`;
    case 2:
      return `{"k": ${expression(random, depth - 1)}, "q": ${term(random)}}`;
    case 3:
      return `if ${expression(random, depth - 1)} { ${term(random)} } else { ${term(random)} }`;
    case 4:
      return `!${term(random)}`;
    default: {
      let text = term(random);
      const calls = 1 + random.below(2);
      for (let index = 0; index < calls; index++) text += `.${method(random, depth)}`;
      if (random.below(12) === 0) text += pick(random, ['[0]', '[-1]', '[1:]', '[:2]', '[::-1]', '[0:3:2]']);
      return text;
    }
  }
}

function term(random: Random): string {
  return random.below(5) < 3 ? `this.${pick(random, fields)}` : pick(random, literals);
}

function method(random: Random, depth: number): string {
  return pick(random, methods)
    .replace('Q', pick(random, queries))
    .replace('E', depth > 1 ? term(random) : pick(random, literals));
}
