import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BloblangError, contentOf, MappingFailure, parseMapping, pureEnvironment } from './index.ts';

const document = '{"a":5,"s":"abc","list":[3,1,2],"obj":{"k":1},"nil":null,"big":9007199254740993}';

/** What a mapping makes of the document: its content, or why not. */
function outcome(mapping: string, input = document): string {
  try {
    const result = parseMapping(mapping).apply({ content: input, metadata: new Map([['m', 'meta']]) });
    if (result.kind !== 'value') return result.kind;
    return contentOf(result.value).toString();
  } catch (error) {
    if (error instanceof BloblangError) return `refused: ${error.described}`;
    assert.ok(error instanceof MappingFailure, String(error));
    return `failed: ${error.message}`;
  }
}

// biome-ignore format: a table
const cases: readonly [group: string, mapping: string, result: string][] = [
  ['assignments', 'root.x = this.a',                                    '{"x":5}'],
  ['assignments', 'root = this.obj\nroot.n = 2',                        '{"k":1,"n":2}'],
  ['assignments', 'root = this.obj\nroot.k = deleted()',                '{}'],
  ['assignments', 'root = deleted()',                                   'deleted'],
  ['assignments', 'root.x = nothing()',                                 'unchanged'],
  ['assignments', 'meta k = "v"',                                       'unchanged'],
  ['assignments', 'root.a.b = 1\nroot.a.c = root.a.b + 1',              '{"a":{"b":1,"c":2}}'],
  ['assignments', 'root = this\nroot.a.b = 1',                          'failed: failed assignment (line 2): unable to set target path a.b as the value of a was a non-object type (number)'],
  ['assignments', 'root.list = this.list\nroot.list.0 = 9',             '{"list":[9,1,2]}'],
  ['assignments', 'root.list = this.list\nroot.list.7 = 9',             "failed: failed assignment (line 2): unable to set target path list.7: failed to resolve path segment '1': found array but index '7' exceeded target array size of '3'"],
  ['assignments', 'root."a.b" = 1',                                     '{"a.b":1}'],
  ['assignments', 'root.__proto__.x = 1',                               '{"__proto__":{"x":1}}'],
  ['assignments', 'this.a',                                             '5'],
  ['paths',       'root = this.list.1',                                 '1'],
  ['paths',       'root = [this.none.x, this.s.x, this.constructor]',   '[null,null,null]'],
  ['paths',       'root = [this.list[-1], this.list[0:2], "héllo"[0:2]]', '[2,[3,1],"hé"]'],
  ['numbers',     'root = [7 / 2, 6 / 2, 7 % 4, -7 % 4, 2 * 3.5]',      '[3.5,3,3,-3,7]'],
  ['numbers',     'root = 9223372036854775807 + 1',                     '-9223372036854775808'],
  ['numbers',     'root = this.big + 0',                                '9007199254740993'],
  ['numbers',     'root = [1000000.0.string(), 1000000.string(), 0.1 + 0.2]', '["1e+06","1000000",0.30000000000000004]'],
  ['numbers',     'root = [1597405526.5.string(), "[1597405526.5]".parse_json().0.string()]', '["1.5974055265e+09","1597405526.5"]'],
  ['numbers',     'root = 5 / 0',                                       'refused: line 1, column 8: number literal: attempted to divide by zero'],
  ['numbers',     'root = this.a / 0',                                  'failed: failed assignment (line 1): number literal: attempted to divide by zero'],
  ['comparisons', 'root = [true == 1, 1 == true, "5" == 5, 5 == 5.0]',  '[true,false,false,true]'],
  ['comparisons', 'root = this.a > "x"',                                'failed: failed assignment (line 1): cannot compare types number (from field `this.a`) and string (from string literal)'],
  ['precedence',  'root = this.nil | 1 + 2',                            '3'],
  ['precedence',  'root = true || true && false',                       'false'],
  ['errors',      'root = this.a.uppercase()',                          'failed: failed assignment (line 1): expected string value, got number from field `this.a` (5)'],
  ['errors',      'root = this.a.uppercase() | "none"',                 'none'],
  ['errors',      'root = this.a.uppercase().catch(err -> err)',        'expected string value, got number from field `this.a` (5)'],
  ['errors',      'root = throw("no").or("yes")',                       'yes'],
  ['errors',      'root = $x',                                          "failed: failed assignment (line 1): variable 'x' undefined"],
  ['if',          'root = if this.a > 3 { "big" } else if this.a > 1 { "mid" } else { "small" }', 'big'],
  ['if',          'if this.a == 5 {\n  root.x = 1\n} else {\n  root.x = 2\n}', '{"x":1}'],
  ['match',       'root = match this.s { "abc" => 1, this == "x" => 2, _ => 3 }', '1'],
  ['match',       'root = match { this.a == 4 => 1\n  _ => 2 }',        '2'],
  ['formats',     'root = "<a x=1>2</a>".parse_xml(cast: true)',       '{"a":{"-x":1,"#text":2}}'],
  ['formats',     'root = "<a".parse_xml().catch(err -> err)',         'string literal: failed to parse value as XML: unexpected end of XML'],
  ['formats',     'root = {"foo":"bar"}.format_msgpack().encode("hex")', '81a3666f6fa3626172'],
  ['formats',     'root = "81a3666f6fa3626172".decode("hex").parse_msgpack()', '{"foo":"bar"}'],
  ['formats',     'root = "QlpoORdyRThQkAAAAAA=".decode("base64").decompress("bzip2").string()', ''],
  ['lambdas',     'root = this.list.map_each(x -> x * this.a)',         '[15,5,10]'],
  ['lambdas',     'root = this.list.map_each(if this == 1 { deleted() } else { this })', '[3,2]'],
  ['lambdas',     'root = this.list.fold(0, item -> item.tally + item.value)', '6'],
  ['lambdas',     'root = this.list.sort(left > right)',                '[3,2,1]'],
  ['lambdas',     'root = this.obj.(k + 1)',                            '2'],
  ['lambdas',     'root = this.list.map_each(x -> x.apply("x"))',       'failed: failed assignment (line 1): map x: map x was not found'],
  ['maps',        'map m {\n  root = this * 2\n}\nroot = this.a.apply("m")', '10'],
  ['maps',        'map f {\n  root = if this < 2 { 1 } else { this * (this - 1).apply("f") }\n}\nroot = 20.apply("f")', '2432902008176640000'],
  ['variables',   'let x = this.list\nroot.x = $x\nroot.x.0 = 9\nroot.y = $x', '{"x":[9,1,2],"y":[3,1,2]}'],
  ['metadata',    'meta m = "new"\nroot = [@m, metadata("m")]',         '["new","meta"]'],
  ['arguments',   'root = "a-b".replace_all(new: "+", old: "-")',       'a+b'],
  ['arguments',   'root = "a".replace_all("a")',                        'refused: line 1, column 12: missing parameter: new'],
  ['arguments',   'root = "a".replace_all(odl: "a", new: "b")',         'refused: line 1, column 12: unknown parameter odl, did you mean old?'],
  ['names',       'root = this.s.upercase()',                           "refused: line 1, column 15: unrecognised method 'upercase'; did you mean uppercase?"],
  ['names',       'root = deletd()',                                    "refused: line 1, column 8: unrecognised function 'deletd'; did you mean deleted?"],
  ['syntax',      'root = = (',                                         'refused: line 1, column 8: expected query, got: = ('],
  ['syntax',      'root = this.a\nroot.b =1',                           'refused: line 2, column 9: expected whitespace, got: 1'],
  ['syntax',      'root = "open',                                       'refused: line 1, column 13: required: expected end quote, but reached end of input'],
  ['syntax',      'root = this # the end',                              document],
  ['time',        'root = 1597405526.ts_format("2006-01-02 15:04:05 MST", "Europe/Berlin")', '2020-08-14 13:45:26 CEST'],
  ['time',        'root = "2020-08-14T11:45:26.371Z".ts_unix_nano()',   '1597405526371000000'],
  ['time',        'root = "14/Aug/2020:11:45:26 +0200".ts_strptime("%d/%b/%Y:%H:%M:%S %z").ts_unix()', '1597398326'],
  ['time',        'root = "2020-01-31T00:00:00Z".ts_add_iso8601("P1M").ts_format()', '2020-03-02T00:00:00Z'],
  ['time',        'root = "1h30m".parse_duration()',                    '5400000000000'],
  ['strings',     'root = ["héllo".length(), "abc".slice(1), "a%".escape_url_query(), "it\'s OK".capitalize()]', '[6,"bc","a%25","It\'s Ok"]'],
  ['strings',     'root = "%s is %05.1f and %d%%".format("x", 2.25, 7)', 'x is 002.2 and 7%'],
  ['patterns',    'root = "foo-1 bar-2".re_replace_all("(?P<w>[a-z]+)-(\\\\d)", "$2$w")', '1foo 2bar'],
  ['patterns',    'root = "a1b2".re_find_all_object("(?P<l>[a-z])(\\\\d)")', '[{"0":"a1","2":"1","l":"a"},{"0":"b2","2":"2","l":"b"}]'],
  ['patterns',    'root = "x".re_match("(")',                           'refused: line 1, column 12: error parsing regexp: missing closing ): `(`'],
  ['objects',     'root = {"a":{"b":1}}.merge({"a":{"b":2,"c":3}})',    '{"a":{"b":[1,2],"c":3}}'],
  ['objects',     'root = {"a":[1,{"b":2}],"c":{}}.collapse()',         '{"a.0":1,"a.1.b":2}'],
  ['encoding',    'root = "hello".hash("xxhash64").string() + " " + "hello".hash("crc32").encode("hex")', '2794345569481354659 3610a686'],
  ['encoding',    'root = "hello".compress("gzip").decompress("gzip").string()', 'hello'],
  ['encoding',    'root = {"sub":"x"}.sign_jwt_hs256("key").parse_jwt_hs256("key")', '{"sub":"x"}'],
  ['parsing',     'root = "a,b\\n1,2".parse_csv()',                     '[{"a":"1","b":"2"}]'],
  ['parsing',     'root = "12345678901234567890".parse_json()',         '12345678901234567890'],
  ['parsing',     'root = {"x":"<&>","n":1.5}.format_json(no_indent: true).string()', '{"n":1.5,"x":"\\u003c\\u0026\\u003e"}'],
];

for (const [group, mapping, result] of cases)
  test(`${group}: ${mapping}`, () => assert.equal(outcome(mapping), result));

test('a message that is no JSON is only read where it is needed', () => {
  assert.equal(outcome('root = content().string().uppercase()', 'text'), 'TEXT');
  assert.match(
    outcome('root = this.a', 'text'),
    /^failed: failed assignment \(line 1\): unable to reference message as structured \(with 'this.a'\): parse as json: /,
  );
});

// biome-ignore format: a table
const hostile: readonly [what: string, mapping: string, message: RegExp][] = [
  ['endless recursion',     'map m {\n  root = this.apply("m")\n}\nroot = this.apply("m")', /exceeded maximum allowed stacks/],
  ['doubling strings',      `let a = "${'x'.repeat(1000)}"\n${'let a = $a + $a\n'.repeat(40)}root = $a`, /built values of more than 64MiB/],
  ['repeated strings',      'root = "x".repeat(1000000000)',                     /built values of more than/],
  ['a huge range',          'root = range(0, 1000000000000)',                    /built values of more than/],
  ['loops within loops',    `root = range(0, 100000).map_each(x -> range(0, 100000).map_each(y -> 1).length())`, /(more than 4000000 steps|built values)/],
  ['a pattern that repeats', 'root = "x".re_match("((a{100}){9}b{100}){9}")',    /repeats too much|invalid repeat/],
  ['shared parts',          `let a = [1]\n${'let a = [$a, $a]\n'.repeat(60)}root = $a`, /result has more than/],
  ['shared parts as text',  `let a = ["x"]\n${'let a = [$a, $a]\n'.repeat(60)}root = $a.string()`, /too large to be printed/],
  ['merged with itself',    `root = {"a":[1]}\n${'root = root.merge(root)\n'.repeat(60)}`, /built values of more than/],
  ['large comparisons',     'let a = range(0, 100000).map_each(x -> x)\nroot = $a.map_each(x -> $a == $a.map_each(y -> y))', /(steps|built)/],
  ['large texts in a loop', 'let a = "x".repeat(1000000)\nroot = range(0, 1000000).map_each(x -> $a.uppercase().length())', /(steps|built)/],
  ['shared parts in a format', `let a = ["x"]\n${'let a = [$a, $a]\n'.repeat(60)}root = "%v".format($a)`, /(steps|built)/],
  ['shared parts as strings', `let a = ["x"]\n${'let a = [$a, $a]\n'.repeat(60)}root = "%s".format($a)`, /(steps|built)/],
  ['shared parts as YAML',  `let a = ["x"]\n${'let a = [$a, $a]\n'.repeat(60)}root = $a.format_yaml()`, /(steps|built)/],
  ['wide fields',           'root = "%1000000[1]d".repeat(3000).format(1)',      /built values of more than/],
  ['shared texts',          'let a = "x".repeat(30000000)\nroot = range(0, 1000).map_each(x -> $a)', /or texts as large/],
  ['shared texts as JSON',  'let a = "x".repeat(30000000)\nroot = range(0, 1000).map_each(x -> $a).string()', /too large to be printed/],
  ['digits as JSON',        'root = "9".repeat(3000000).parse_json().string()',  /an integer has more than 1000 digits/],
  ['digits of a decimal',   'root = "9".repeat(3000000).parse_big_decimal(2)',   /a big decimal has at most 8192 bytes/],
  ['a caught limit',        'root = "x".repeat(1000000000) | "caught"',          /built values of more than/],
  ['a decompression bomb',  'let z = "x".repeat(30000000).compress("gzip")\nroot = $z.decompress("gzip").length() + $z.decompress("gzip").length() + $z.decompress("gzip").length()', /built values of more than/],
];

for (const [what, mapping, message] of hostile)
  test(`hostile: ${what} ends in one line`, () => {
    const text = outcome(mapping);
    assert.match(text, message);
    assert.equal(text.split('\n').length, 1);
  });

test('methods of texts take time in proportion', () => {
  assert.equal(outcome('root = "<a".repeat(500000).strip_html().length()'), '1000000');
  assert.equal(outcome('root = "<script".repeat(500000).strip_html().length()'), '3500000');
  assert.equal(outcome('root = ("a" + "_".repeat(500000) + "b__").slug().length()'), '500002');
  assert.equal(
    outcome('root = "a<script>b</style>c<i".strip_html() + "d<b>e</b>f<i".strip_html()'),
    'adef<i',
  );
  assert.equal(outcome('root = "9".repeat(3000000).parse_yaml().type()'), 'number');
});

test('a catastrophic pattern costs little', () => {
  assert.equal(outcome(`root = "${'a'.repeat(5000)}".re_match("(a+)+$b")`), 'false');
});

test('nesting is limited before the stack is', () => {
  assert.match(outcome(`root = ${'['.repeat(5000)}`), /nested more than 200 deep/);
  assert.match(outcome(`root = ${'match { '.repeat(150)}`), /^refused: /);
});

test('the pure environment has nothing that depends on more than the record', () => {
  for (const name of [
    'now()',
    'env("A")',
    'uuid_v4()',
    'content()',
    'hostname()',
    'counter()',
    'file("/x")',
    'json()',
  ])
    assert.throws(
      () => parseMapping(`root = ${name}`, { environment: pureEnvironment }),
      /unrecognised function/,
      name,
    );
  assert.throws(() => parseMapping('import "x"', { environment: pureEnvironment }), /imports are disabled/);
  assert.match(outcome('root = this.bloblang("root = now()")'), /unrecognised function 'now'/);
});

test('imports bring maps, and a file cannot import itself', () => {
  const files: Record<string, string> = {
    'twice.blobl': 'map twice {\n  root = this * 2\n}',
    'loop.blobl': 'import "loop.blobl"\nmap x {\n  root = 1\n}',
    'bad.blobl': 'map x {\n  root = nope()\n}',
  };
  const importer = {
    read(path: string) {
      const text = files[path];
      if (text === undefined) throw new Error('no such file');
      return { name: path, text };
    },
  };
  const result = parseMapping('import "twice.blobl"\nroot = 4.apply("twice")', { importer }).apply({
    content: '{}',
  });
  assert.deepEqual(result, { kind: 'value', value: 8, isPlain: true, metadata: undefined });
  assert.throws(() => parseMapping('import "loop.blobl"', { importer }), /'loop.blobl' imports itself/);
  assert.throws(
    () => parseMapping('import "none.blobl"', { importer }),
    /failed to read import: no such file/,
  );
  assert.throws(
    () => parseMapping('import "bad.blobl"', { importer }),
    (error: BloblangError) =>
      error.described.startsWith("bad.blobl: line 2, column 10: unrecognised function 'nope'"),
  );
});

test('a mutation starts from the document, and leaves it as it was', () => {
  const value = { a: { b: 1 }, c: 2 };
  const mapping = parseMapping('root.a.b = 5\nroot.c = deleted()');
  const result = mapping.apply({ value }, { startsFromDocument: true });
  assert.deepEqual(result, { kind: 'value', value: { a: { b: 5 } }, isPlain: true, metadata: undefined });
  assert.deepEqual(value, { a: { b: 1 }, c: 2 });
});

test('other messages of the batch can be seen', () => {
  const batch = [{ content: '{"n":1}' }, { content: '{"n":2}' }];
  const mapping = parseMapping(
    'root = [json("n").from_all().sum(), json("n").from(0), batch_index(), batch_size()]',
  );
  const result = mapping.apply(batch[1]!, { batch, index: 1 });
  assert.equal(result.kind === 'value' && contentOf(result.value).toString(), '[3,1,1,2]');
});

test('integers keep their digits wherever they are', () => {
  for (let pad = 0; pad < 40; pad++) {
    for (let length = 14; length < 40; length++) {
      const text = `{"${'x'.repeat(pad)}":${'9'.repeat(length)},"b":1`;
      assert.equal(outcome('root = this\nroot.c = 2', `${text}}`), `${text},"c":2}`);
    }
  }
});

test('assignments can change another message than the one that is read', () => {
  const mapping = parseMapping('root.got = this.x\nroot.had = @k\nmeta k = metadata("k")');
  const onto = { content: '{"a":1}', metadata: new Map([['k', 'onto']]) };
  const result = mapping.apply({ content: '{"x":2}', metadata: new Map([['k', 'read']]) }, { onto });
  assert.deepEqual(result, {
    kind: 'value',
    value: { a: 1, got: 2, had: 'onto' },
    isPlain: true,
    metadata: new Map([['k', 'read']]),
  });
  const text = parseMapping('root.x = 1').apply({ content: '{}' }, { onto: { content: 'text' } });
  assert.deepEqual(text.kind === 'value' && text.value, { x: 1 });
});

const plainResults: readonly [mapping: string, isPlain: boolean][] = [
  ['root = this.without("zero")', true],
  ['root.a = [1, -1.5, "text", null, true, {"b": 9223372036854775807}]', true],
  ['root.a = 2.0', false],
  ['root.a = [content()]', false],
  ['root.a.b = "2020-01-01T00:00:00Z".ts_parse("2006-01-02T15:04:05Z")', false],
  ['root.a = this.zero', false],
];

for (const [mapping, isPlain] of plainResults)
  test(`is ${isPlain ? '' : 'not '}the same when it was printed and parsed: ${mapping}`, () => {
    const result = parseMapping(mapping).apply({ content: '{"zero":-0}' });
    assert.equal(result.kind === 'value' && result.isPlain, isPlain);
  });

const references: readonly [mapping: string, reads: string, writes: string][] = [
  ['root = this', '.', '.'],
  ['root.a.b = this.c.d\nmeta k = "v"', '. .c .c.d', '.a.b @k'],
  ['root = foo.bar.uppercase()', '.foo .foo.bar', '.'],
  ['root = this.a.map_each(x -> x.b + this.c)', '. .a .a.b .c', '.'],
  ['root = this.a.map_each(this.b)', '. .a .a.b .b', '.'],
  ['root = this.a.(b | c)', '. .a .a.b .a.c', '.'],
  ['root = match this.a { this.b == 1 => this.c, _ => d }', '. .a .a.b .a.c .a.d', '.'],
  ['root = json("a.b") + metadata("k") + @l', '.a.b @k @l', '.'],
  ['if this.a == 1 {\n  root.b = [this.c, {"x": this.d}]\n  meta = {}\n}', '. .a .c .d', '.b @'],
  ['map m {\n  root = this.x.apply("m")\n}\nroot = this.a.apply("m")', '. .a .a.x .a.x.x', '.'],
  ['let v = this.a\nroot = $v.b', '. .a', '.'],
];

for (const [mapping, reads, writes] of references)
  test(`references: ${mapping}`, () => {
    const found = parseMapping(mapping).references();
    const shown = (list: typeof found.reads) =>
      list.map(({ of, path }) => `${of === 'value' ? '.' : '@'}${path.join('.')}`).toSorted();
    const expected = reads.split(' ');
    // Maps that apply themselves are followed for a while.
    const seen = shown(found.reads).filter((one) => !one.includes('.x.x.x'));
    assert.deepEqual(seen, expected.toSorted());
    assert.deepEqual(shown(found.writes), writes.split(' '));
  });

test('limits can be lower', () => {
  const mapping = parseMapping('root = this.map_each(x -> x)');
  assert.throws(
    () => mapping.apply({ content: '[1,2,3]' }, { limits: { stepsMax: 2 } }),
    /more than 2 steps/,
  );
});
