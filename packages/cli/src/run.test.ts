import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runLine } from '../testing/command-run.ts';
import { commandHelp, formerHelp, fullHelp, overview } from './reference/help.ts';

test('available commands answer', async () => {
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
    ['agent --help-all', fullHelp('agent')],
    ['help agent -all', fullHelp('agent')],
    ['agent -h', commandHelp('agent')],
    ['agent -kafkaPort 1 -help', commandHelp('agent')],
    ['cli', commandHelp('cli')],
    ['cli --help', commandHelp('cli')],
    ['cli list-topics --help', commandHelp('cli list-topics')],
    ['help cli create-acls', commandHelp('cli create-acls')],
    ['cli create-acls --help', commandHelp('cli create-acls')],
    ['help help', commandHelp('help')],
    ['cli-old', commandHelp('cli-old')],
    ['help cli-old', commandHelp('cli-old')],
    ['cli-old list-topics -h', formerHelp(commandHelp('cli list-topics'))],
    ['help cli-old -type list-topics', formerHelp(commandHelp('cli list-topics'))],
  ];
  for (const [line, out] of cases) {
    assert.deepEqual(await runLine(line), { status: 0, out, err: '' }, line);
  }
});

test('unavailable commands are rejected in one line with status 2', async () => {
  const cases: readonly [line: string, err: string][] = [
    ['agent', 'weir agent: -defaultVirtualClusterID is required'],
    ['cli-old console-consumer', 'weir cli-old console-consumer: -topic is required'],
    ['cli list-topics -username=u', 'weir cli list-topics: -username=u: needs -password'],
    ['cli-old list-topics -username=u', 'weir cli-old list-topics: -username=u: needs -password'],
    [
      'cli-old list-topics -bootstrapHosts=a',
      'weir cli-old list-topics: -bootstrapHosts: unknown flag; did you mean -bootstrap-host?',
    ],
    ['cli create-topics', 'weir: cli create-topics: unknown command; did you mean weir cli create-topic?'],
    ['cli fetch', 'weir cli fetch: -topic is required'],
    ['kcmd', 'weir kcmd: -type is required'],
    ['kcmd -type fetch', 'weir kcmd: -topic is required with -type=fetch'],
    ['kcmd -type produce -topic t', 'weir kcmd: -records is required with -type=produce'],
    [
      'agent -enableControlPlanePrometheusEndpoint',
      'weir agent: -enableControlPlanePrometheusEndpoint: not available in this release',
    ],
    ['metrics -kafkaPort=9092', 'weir metrics: -kafkaPort: not a flag of weir metrics, but of weir agent'],
    ['version -kafkaPort=9092', 'weir version: -kafkaPort: not a flag of weir version, but of weir agent'],
    ['help nonsense', 'weir: nonsense: unknown command; weir help lists the commands'],
  ];
  for (const [line, err] of cases) {
    assert.deepEqual(await runLine(line), { status: 2, out: '', err: `${err}\n` }, line);
  }
});

test('invalid settings are reported before planned ones, and those before missing ones', async () => {
  const cases: readonly [line: string, err: RegExp][] = [
    // Bucket, key and cluster are missing too, but the planned flag is reported first.
    [
      'agent -enableControlPlanePrometheusEndpoint',
      /^weir agent: -enableControlPlanePrometheusEndpoint: not available in this release\n$/,
    ],
    ['agent -batchTimeout=1ms', /^weir agent: -batchTimeout=1ms: at least 25ms is allowed\n$/],
    [
      'agent -bucketURL=mem://a -ingestionBucketURL=mem://b',
      /^weir agent: -bucketURL=mem:\/\/a with .* not both/,
    ],
  ];
  for (const [line, err] of cases) assert.match((await runLine(line)).err, err);
});

test('a planned variable is rejected by commands that read it and ignored by others', async () => {
  const environment = { SERVICE_ENABLE_CONTROL_PLANE_PROMETHEUS_ENDPOINT: 'true', POD_NAME: 'pod' };
  assert.equal(
    (await runLine('agent', { environment })).err,
    'weir agent: SERVICE_ENABLE_CONTROL_PLANE_PROMETHEUS_ENDPOINT: not available in this release\n',
  );
  assert.equal((await runLine('version', { environment })).status, 0);
});

test('values that need more code are checked before a command runs', async () => {
  const { status, err } = await runLine('agent -mtlsPrincipalMappingRules RULE:(a)/$2/');
  assert.equal(status, 2);
  assert.match(err, /^weir agent: -mtlsPrincipalMappingRules=RULE:\(a\)\/\$2\/: rule 1 is invalid: /);
});
