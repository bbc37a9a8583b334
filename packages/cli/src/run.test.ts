import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '@weir/core';
import { commandHelp, overview } from './reference/help.ts';
import { run } from './run.ts';

function runLine(line: string, environment: Environment = {}) {
  const written = { out: '', err: '' };
  const status = run(line.split(' ').filter(Boolean), environment, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
  });
  return { status, ...written };
}

test('what exists answers', () => {
  const cases: readonly [line: string, out: string][] = [
    ['', overview()],
    ['help', overview()],
    ['--help', overview()],
    ['-h', overview()],
    ['version', 'weir v830\n'],
    ['--version', 'weir v830\n'],
    ['-version', 'weir v830\n'],
    ['help agent', commandHelp('agent')],
    ['agent --help', commandHelp('agent')],
    ['agent -h', commandHelp('agent')],
    ['agent -kafkaPort 1 -help', commandHelp('agent')],
    ['cli --help', commandHelp('cli')],
    ['help cli create-acls', commandHelp('cli create-acls')],
    ['cli create-acls --help', commandHelp('cli create-acls')],
    ['help help', commandHelp('help')],
  ];
  for (const [line, out] of cases) assert.deepEqual(runLine(line), { status: 0, out, err: '' }, line);
});

test('what does not is refused in one line with status 2', () => {
  const cases: readonly [line: string, err: string][] = [
    ['agent', 'weir agent: not available in this release'],
    ['cli', 'weir cli: not available in this release'],
    ['cli-beta describe-acls', 'weir cli describe-acls: not available in this release'],
    ['agent -kafkaPort=9092', 'weir agent: -kafkaPort: not available in this release'],
    ['metrics -kafkaPort=9092', 'weir metrics: -kafkaPort: not a flag of weir metrics, but of weir agent'],
    ['version -kafkaPort=9092', 'weir version: -kafkaPort: not a flag of weir version, but of weir agent'],
    ['help nonsense', 'weir: nonsense: unknown command; weir help lists the commands'],
  ];
  for (const [line, err] of cases)
    assert.deepEqual(runLine(line), { status: 2, out: '', err: `${err}\n` }, line);
});

test('what is wrong comes before what is planned, and that before what is missing', () => {
  const cases: readonly [line: string, err: RegExp][] = [
    // No bucket, no key, no cluster: all missing, none of it said, because the flag is planned.
    ['agent -batchTimeout=1s', /^weir agent: -batchTimeout: not available in this release\n$/],
    ['agent -batchTimeout=1ms', /^weir agent: -batchTimeout=1ms: at least 25ms is allowed\n$/],
    [
      'agent -bucketURL=mem://a -ingestionBucketURL=mem://b',
      /^weir agent: -bucketURL=mem:\/\/a with .* excludes/,
    ],
  ];
  for (const [line, err] of cases) assert.match(runLine(line).err, err);
});

test('a planned variable is refused where it is read and ignored elsewhere', () => {
  const environment = { SERVICE_KAFKA_PORT: '9092', POD_NAME: 'pod' };
  assert.equal(
    runLine('agent', environment).err,
    'weir agent: SERVICE_KAFKA_PORT: not available in this release\n',
  );
  assert.equal(runLine('version', environment).status, 0);
});
