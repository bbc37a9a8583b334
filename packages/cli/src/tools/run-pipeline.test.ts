import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type RunOptions, runArguments } from '../../testing/command-run.ts';

function runYaml(t: TestContext, yaml: string, options: RunOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'weir-run-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'pipeline.yaml');
  writeFileSync(file, yaml);
  return runArguments(['cli', 'run-pipeline', '-f', file], options);
}

test('a pipeline runs until its input ends, with variables of the shell', async (t) => {
  const yaml = `input: {generate: {mapping: 'root.name = env("NAME")', count: "\${COUNT}", interval: ""}}\noutput: {drop: {}}`;
  const found = await runYaml(t, yaml, { environment: { COUNT: '3', NAME: 'x' } });
  assert.deepEqual(found, { status: 0, out: '', err: '3 messages read, 3 written (36 bytes)\n' });
});

test('secrets are variables of the shell', async (t) => {
  const yaml = `input: {generate: {mapping: 'root = "\${secret:api-token}"', count: 1, interval: ""}}\noutput: {stdout: {}}`;
  const found = await runYaml(t, yaml, { environment: { WEIR_SECRET_API_TOKEN: 'hunter2' } });
  assert.deepEqual([found.status, found.out], [0, 'hunter2\n']);
  const { status, err } = await runYaml(t, yaml, { environment: {} });
  assert.equal(status, 1);
  assert.match(err, /: set the variable WEIR_SECRET_API_TOKEN to the value of the secret api-token\n$/);
});

test('on a terminal, a line shows the progress', async (t) => {
  const yaml = 'input: {generate: {mapping: root = "a", count: 2, interval: ""}}\noutput: {drop: {}}';
  const { err } = await runYaml(t, yaml, { isErrTerminal: true });
  assert.match(err, /\d messages written/);
  assert.match(err, /2 messages read, 2 written \(2 bytes\)\n$/);
});

test('Ctrl-C ends it after what was read is written', async (t) => {
  const stop = new AbortController();
  const yaml = `input: {generate: {mapping: root = "a", interval: 1ms}}
pipeline: {processors: [{mapping: 'root = throw("no")'}]}
output: {drop: {}}
error_handling: {log: {enabled: true}}`;
  const { status, err } = await runYaml(t, yaml, { stop: stop.signal, onErr: () => stop.abort() });
  assert.equal(status, 0);
  const [, read, written] = /(\d+) messages read, (\d+) written/.exec(err)!;
  assert.equal(read, written);
});

test('a mistake is shown with its line and column', async (t) => {
  const { status, out, err } = await runYaml(
    t,
    'input: {generate: {mapping: root = = 1}}\noutput: {drpo: {}}',
  );
  assert.deepEqual([status, out], [1, '']);
  assert.match(err, /pipeline\.yaml:1:\d+: in the mapping: /);
  assert.match(err, /pipeline\.yaml:2:10: there is no output "drpo"; did you mean drop\?\n/);
});

test('mistakes are in the order of their lines', async (t) => {
  const { err } = await runYaml(
    t,
    'input: {stdni: {}}\noutput: {drpo: {}}\npipeline: {processors: [{mapping: root = = 1}]}',
  );
  assert.deepEqual(
    [...err.matchAll(/pipeline\.yaml:(\d+):/g)].map(([, line]) => line),
    ['1', '2', '3'],
  );
});

test('a variable that is not set is a mistake', async (t) => {
  const { status, err } = await runYaml(
    t,
    `input: {generate: {mapping: root = 1, count: "\${COUNT}"}}\noutput: {drop: {}}`,
  );
  assert.equal(status, 1);
  assert.match(err, /the variable COUNT is not set/);
});
