import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { jaasValue, literal, propertyValue } from './quoting.ts';
import { type Connection, languageNames, languages, securities } from './snippets.ts';

const hostile = `it's "so" \\ $HOME \`id\` é\u2028`;
const connection: Connection = {
  bootstrap: 'h:9092',
  security: 'SASL_PLAINTEXT',
  username: 'ccun_1',
  password: hostile,
  topic: 'orders',
  group: 'shop',
};

test('texts are quoted as each language reads them', () => {
  const cases: readonly (readonly [quote: (text: string) => string, text: string, quoted: string])[] = [
    [jaasValue, 'a"b\\c', '"a\\"b\\\\c"'],
    [propertyValue, 'a\\b', 'a\\\\b'],
    [propertyValue, 'é', '\\u00e9'],
    [literal, 'a"b\\\n', '"a\\"b\\\\\\n"'],
    [literal, '\u2028', '"\\u2028"'],
  ];
  for (const [quote, text, quoted] of cases) assert.equal(quote(text), quoted);
  assert.equal(JSON.parse(literal(hostile)), hostile);
});

test('a shell reads the password of commands as one word', () => {
  const wordsOf = (command: string) =>
    execFileSync('sh', ['-c', `set -- ${command}; printf '%s\\n' "$@"`], { encoding: 'utf8' }).split('\n');
  const kcat = languages.kcat.consume(connection);
  assert.ok(wordsOf(kcat).includes(`sasl.password=${hostile}`), kcat);
  const weir = languages.weir.consume(connection);
  assert.ok(wordsOf(weir).includes(hostile), weir);
});

test('programs of JavaScript have the password as it is', () => {
  const sasl = /sasl: (\{.*\}) \}\)/.exec(languages.kafkajs.produce(connection))![1]!;
  assert.deepEqual(JSON.parse(sasl), { mechanism: 'plain', username: 'ccun_1', password: hostile });
});

test('every snippet names the server, the topic and, where it reads, the group', () => {
  for (const name of languageNames) {
    for (const security of Object.keys(securities) as (keyof typeof securities)[]) {
      const of = { ...connection, security, password: 'secret' };
      const [produce, consume] = [languages[name].produce(of), languages[name].consume(of)];
      for (const text of [produce, consume]) {
        assert.ok(text.includes('h:9092') && text.includes('orders'), text);
        assert.equal(text.includes('secret'), security.startsWith('SASL_'), `${name} ${security}`);
      }
      assert.ok(consume.includes('shop'), consume);
    }
  }
});

test('TLS is turned on where it is wanted', () => {
  const marks: Readonly<Record<(typeof languageNames)[number], RegExp>> = {
    weir: / -tls/,
    kcat: /security\.protocol=SASL_SSL/,
    kafka: /security\.protocol=SASL_SSL/,
    python: /"security\.protocol": "SASL_SSL"/,
    'kafka-python': /security_protocol="SASL_SSL"/,
    java: /"security\.protocol", "SASL_SSL"/,
    go: /kgo\.DialTLS\(\)/,
    kafkajs: /ssl: true/,
    platformatic: /tls: \{\}/,
  };
  for (const name of languageNames) {
    assert.match(languages[name].produce({ ...connection, security: 'SASL_SSL' }), marks[name]);
    assert.doesNotMatch(languages[name].produce({ ...connection, security: 'PLAINTEXT' }), marks[name]);
  }
});
