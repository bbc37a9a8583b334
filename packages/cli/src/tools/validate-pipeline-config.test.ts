import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runArguments } from '../../testing/command-run.ts';

function fileOf(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-pipeline-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'pipeline.yaml');
  writeFileSync(path, text);
  return path;
}

const validate = (...flags: string[]) => runArguments(['cli', 'validate-pipeline-config', ...flags]);

test('a valid configuration is recognised by its fields', async (t) => {
  const cases: readonly [yaml: string, type: string][] = [
    ['input: { generate: { mapping: root = 1 } }\noutput: { drop: {} }\n', 'bento'],
    ['source_schema_registry: { hostname: registry, port: 8081 }\n', 'schema_linking'],
  ];
  for (const [yaml, type] of cases) {
    const path = fileOf(t, yaml);
    for (const flag of ['-config-file', '--config-file']) {
      const out = `${path}: valid configuration of a ${type} pipeline\n`;
      assert.deepEqual(await validate(flag, path), { status: 0, out, err: '' });
    }
  }
});

test('each problem is one line with its position, in the order of the text', async (t) => {
  const path = fileOf(t, 'input: {}\nbuffer: none\noutput: { drop: {} }\ninptu: {}\n');
  assert.deepEqual(await validate('-config-file', path), {
    status: 1,
    out:
      `${path}:1:8: an input has no type; add one, such as kafka_franz_service\n` +
      `${path}:2:9: a buffer has to be an object with the name of its type\n` +
      `${path}:4:1: there is no field "inptu"; did you mean input?\n`,
    err: '',
  });
  const json = await validate('-config-file', path, '-output', 'json', '-pipeline-type', 'bento');
  const { isValid, type, problems } = JSON.parse(json.out);
  assert.deepEqual(
    [json.status, isValid, type, problems[0].line, problems[0].column],
    [1, false, 'bento', 1, 8],
  );
});

test('schemas and transforms of tables are checked to their lines', async (t) => {
  const path = fileOf(
    t,
    `source_clusters: [{ name: shop, bootstrap_brokers: [{ hostname: kafka, port: 9092 }] }]
tables:
  - source_cluster_name: shop
    source_topic: orders
    retention: 99 parsecs
    input_schema: |
      { "properties": { "id": { "type": "long" } }
    transforms:
      - transform_type: bento
        transform: |
          root.id = now()
`,
  );
  assert.deepEqual(await validate('-config-file', path), {
    status: 1,
    out:
      `${path}:5:16: tables[0].retention: is not a duration such as 7d, 2w, 12h, 30m or 10s\n` +
      `${path}:7:51: tables[0].input_schema: the schema is not valid JSON: expected "," or "}"\n` +
      `${path}:11:21: tables[0].transforms[0].transform: unrecognised function 'now'\n`,
    err: '',
  });
});

test('the type can be given, and standard input is a file too', async () => {
  const found = await runArguments(
    ['cli', 'validate-pipeline-config', '-config-file', '-', '-pipeline-type', 'orbit'],
    { input: ['input: {}\n'] },
  );
  assert.equal(found.status, 1);
  assert.match(found.out, /^standard input:1:1: source_bootstrap_brokers: is missing\n/);
});

test('a file that cannot be read, or no file, is one line', async (t) => {
  assert.deepEqual(await validate('-config-file', '/no/such/file'), {
    status: 1,
    out: '',
    err: 'weir cli validate-pipeline-config: -config-file=/no/such/file: failed to read the file (ENOENT)\n',
  });
  const empty = fileOf(t, ' \n');
  assert.match((await validate('-config-file', empty)).err, /: is empty\n$/);
  const large = fileOf(t, `# ${'x'.repeat(300_000)}\n`);
  assert.match((await validate('-config-file', large)).err, /: is larger than 256KiB\n$/);
  assert.deepEqual(await validate(), {
    status: 2,
    out: '',
    err: 'weir cli validate-pipeline-config: -config-file is required\n',
  });
});

test('mappings are checked', async (t) => {
  const yaml =
    'input: { generate: { mapping: root = 1 } }\npipeline:\n  processors:\n    - mapping: root = = (\n    - mutation: |\n        root.a = 1\n        root.b = nope()\noutput: { drop: {} }\n';
  const path = fileOf(t, yaml);
  const found = await validate('-config-file', path);
  assert.deepEqual(
    [found.status, found.out],
    [
      1,
      `${path}:4:23: in the mapping: expected query, got: = (\n` +
        `${path}:7:18: in the mapping: unrecognised function 'nope'\n`,
    ],
  );
  const fine = fileOf(t, yaml.replace('= = (', '= this').replace('nope()', 'now()'));
  assert.equal((await validate('-config-file', fine)).status, 0);
});
