import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '@weir/core';
import type { CommandName } from '../commands/catalogue.ts';
import { problemLine } from '../problem.ts';
import { refusePlanned } from './availability.ts';
import type { FlagName, FlagValues } from './catalogue.ts';
import { deprecationWarnings } from './deprecation.ts';
import { parseCommandLine } from './parse.ts';

interface Case {
  readonly command?: CommandName;
  readonly argv?: readonly string[];
  readonly environment?: Environment;
}

function parse({ command = 'agent', argv = [], environment = {} }: Case) {
  return parseCommandLine(command, argv, environment);
}

function parsedValue<Name extends FlagName>(name: Name, given: Case): FlagValues[Name] {
  const parsed = parse(given);
  assert.ok('value' in parsed, JSON.stringify([given, parsed]));
  return parsed.value.values[name];
}

function lineOf(given: Case): string {
  const parsed = parse(given);
  assert.ok('problem' in parsed, JSON.stringify(given));
  return problemLine(parsed.problem);
}

test('a flag is written with one dash or two, with a blank or an equals sign', () => {
  for (const argv of [
    ['-batchTimeout', '1s'],
    ['--batchTimeout', '1s'],
    ['-batchTimeout=1s'],
    ['--batchTimeout=1s'],
    ['-multiregion', '-batchTimeout', '1s'],
  ]) {
    assert.equal(parsedValue('batchTimeout', { argv }), 1_000);
  }
});

test('a switch takes a value only after an equals sign', () => {
  assert.equal(parsedValue('multiregion', { argv: ['-multiregion'] }), true);
  assert.equal(parsedValue('multiregion', { argv: ['-multiregion=false'] }), false);
  assert.equal(parsedValue('multiregion', { argv: [] }), false);
  assert.equal(
    lineOf({ argv: ['-multiregion', 'false'] }),
    'unexpected argument: false; write -multiregion=false with an equals sign',
  );
});

test('every other flag takes the next argument, whatever it looks like', () => {
  const command = 'cli benchmark-producer';
  assert.equal(parsedValue('num-records', { command, argv: ['-num-records', '-1'] }), -1);
  assert.equal(parsedValue('password', { command, argv: ['-password', '--help'] }), '--help');
  assert.equal(parsedValue('topic', { command, argv: ['-topic=a=b'] }), 'a=b');
});

test('a flag takes precedence over its variable, and the variable over the default', () => {
  const environment = { SERVICE_BATCH_TIMEOUT: '2s' };
  assert.equal(parsedValue('batchTimeout', { argv: ['-batchTimeout', '1s'], environment }), 1_000);
  assert.equal(parsedValue('batchTimeout', { environment }), 2_000);
  assert.equal(parsedValue('batchTimeout', {}), 250);
});

test('a flag takes precedence over its variable even when the variable is invalid', () => {
  const environment = { SERVICE_BATCH_TIMEOUT: 'soon' };
  assert.equal(parsedValue('batchTimeout', { argv: ['-batchTimeout', '1s'], environment }), 1_000);
});

test('empty is a value', () => {
  // It empties a list,
  assert.deepEqual(parsedValue('roles', {}), ['proxy', 'jobs']);
  assert.deepEqual(parsedValue('roles', { environment: { SERVICE_AGENT_ROLES: '' } }), []);
  assert.deepEqual(parsedValue('roles', { argv: ['-roles='] }), []);
  const tags = 'SERVICE_DISABLE_CONSUMER_GROUP_METRICS_TAGS';
  assert.deepEqual(parsedValue('disableConsumerGroupsMetricsTags', { environment: { [tags]: '' } }), []);
  // names the default group,
  assert.equal(parsedValue('agentGroup', { environment: { SERVICE_AGENT_GROUP: '' } }), '');
  // unsets what has no default,
  assert.equal(
    parsedValue('batchMaxSizeBytes', { environment: { SERVICE_BATCH_MAX_SIZE_BYTES: '' } }),
    undefined,
  );
  assert.equal(
    parsedValue('region', { argv: ['-region', ''], environment: { SERVICE_REGION: 'a' } }),
    undefined,
  );
  // and is refused by what always has a value.
  assert.equal(
    lineOf({ environment: { SERVICE_KAFKA_PORT: '' } }),
    'SERVICE_KAFKA_PORT=: an empty value is not allowed',
  );
});

test('a command can have a default of its own', () => {
  assert.deepEqual(parsedValue('disableConsumerGroupsMetricsTags', {}), ['partition']);
  assert.deepEqual(parsedValue('disableConsumerGroupsMetricsTags', { command: 'metrics' }), []);
});

test('an error is one line that names the flag, the value and the rule', () => {
  const cases: readonly [given: Case, line: string][] = [
    [{ argv: ['-batchMaxSizeBytes=200MiB'] }, '-batchMaxSizeBytes=200MiB: at most 128MiB is allowed'],
    [{ argv: ['--batchMaxSizeBytes', '200MiB'] }, '-batchMaxSizeBytes=200MiB: at most 128MiB is allowed'],
    [
      { environment: { SERVICE_BATCH_TIMEOUT: '10ms' } },
      'SERVICE_BATCH_TIMEOUT=10ms: at least 25ms is allowed',
    ],
    [
      { argv: ['-roles', 'proxy,leader'] },
      '-roles=proxy,leader: item 2: one of proxy, proxy-produce, proxy-consume, jobs, pipelines, query is allowed',
    ],
    [{ argv: ['-kafkaPort', '1\n2'] }, '-kafkaPort=1\\n2: a port number is needed'],
    [{ argv: ['-batchTimeout'] }, '-batchTimeout: a value is needed (duration)'],
    [{ argv: ['-batchTimeot', '1s'] }, '-batchTimeot: unknown flag; did you mean -batchTimeout?'],
    [{ argv: ['-flux'] }, '-flux: unknown flag'],
    [
      { argv: ['-num-records', '1'] },
      '-num-records: not a flag of weir agent, but of weir cli benchmark-producer',
    ],
    [{ argv: ['-DD_AGENT_HOST', 'x'] }, '-DD_AGENT_HOST: unknown flag'],
    [{ argv: ['stray'] }, 'unexpected argument: stray'],
    [{ argv: ['--'] }, 'unexpected argument: --'],
    [
      { command: 'cli blobl', argv: ['root = this'] },
      'unexpected argument: root = this; write it after -mapping',
    ],
    [{ command: 'cli run-pipeline', argv: ['a.yaml'] }, 'unexpected argument: a.yaml; write it after -file'],
    [
      { argv: ['-kafkaPort=1', '-kafkaPort=2'] },
      '-kafkaPort=2: contradicts the earlier -kafkaPort=1; set it once',
    ],
  ];
  for (const [given, line] of cases) assert.equal(lineOf(given), line);
});

test('a variable that no row of the command names is ignored', () => {
  const environment = { SERVICE_WHATEVER: 'x', SERVICE_BOOTSTRAP_PORT: 'no port' };
  assert.ok('value' in parse({ environment }));
  assert.equal(
    lineOf({ command: 'kcmd', environment }),
    'SERVICE_BOOTSTRAP_PORT=no port: a port number is needed',
  );
});

test('a former name works, warns, and must agree with the current one', () => {
  assert.equal(parsedValue('apiURL', { argv: ['-consoleURL', 'http://a'] }), 'http://a');
  assert.equal(
    parsedValue('requireSASLAuthentication', { environment: { SERVICE_REQUIRE_AUTHENTICATION: 'true' } }),
    true,
  );
  // A flag still takes precedence over a variable.
  const environment = { SERVICE_CONSOLE_URL: 'http://b' };
  assert.equal(parsedValue('apiURL', { argv: ['-apiURL', 'http://a'], environment }), 'http://a');

  const agreeing = parse({ argv: ['-apiURL=http://a', '-consoleURL=http://a'] });
  assert.ok('value' in agreeing);
  assert.deepEqual(deprecationWarnings(agreeing.value.settings), []);
  const former = parse({
    argv: ['-consoleURL=http://a'],
    environment: { SERVICE_REQUIRE_AUTHENTICATION: 'true' },
  });
  assert.ok('value' in former);
  assert.deepEqual(deprecationWarnings(former.value.settings), [
    'SERVICE_REQUIRE_AUTHENTICATION is the former name of SERVICE_REQUIRE_SASL_AUTHENTICATION',
    '-consoleURL is the former name of -apiURL',
  ]);

  assert.equal(
    lineOf({ argv: ['-apiURL=http://a', '-consoleURL=http://b'] }),
    '-consoleURL=http://b: contradicts -apiURL=http://a; both names mean the same setting, so set one',
  );
  assert.equal(
    lineOf({ argv: ['-agentKey=one', '-apiKey=two'] }),
    '-apiKey=(hidden): contradicts -agentKey=(hidden); both names mean the same setting, so set one',
  );
});

test('help is printed even if the environment is invalid', () => {
  const parsed = parse({ argv: ['-kafkaPort', '1', '-h'], environment: { SERVICE_KAFKA_PORT: 'x' } });
  assert.ok('value' in parsed && parsed.value.help === 'short');
});

test('a planned setting is rejected by the name that set it, a foreign variable never', () => {
  const cases: readonly [given: Case, line: string | undefined][] = [
    [
      { argv: ['-enableControlPlanePrometheusEndpoint'] },
      '-enableControlPlanePrometheusEndpoint: not available in this release',
    ],
    [
      { environment: { SERVICE_ENABLE_CONTROL_PLANE_PROMETHEUS_ENDPOINT: '1' } },
      'SERVICE_ENABLE_CONTROL_PLANE_PROMETHEUS_ENDPOINT: not available in this release',
    ],
    [{ argv: ['-kafkaPort', '9092'] }, undefined],
    [{ argv: ['-consoleURL', 'http://a'] }, undefined],
    [{ environment: { POD_NAME: 'a', DD_AGENT_HOST: 'b', AZURE_STORAGE_KEY: 'c' } }, undefined],
    [{}, undefined],
  ];
  for (const [given, line] of cases) {
    const parsed = parse(given);
    assert.ok('value' in parsed);
    const problem = refusePlanned(parsed.value.settings);
    assert.equal(problem === undefined ? undefined : problemLine(problem), line);
  }
});

test('a short form is equivalent to the name, and a list may be given in several flags', () => {
  const files = (...argv: string[]) => {
    const parsed = parseCommandLine('apply', argv, { SERVICE_FILE: 'variable.yaml' });
    return 'value' in parsed ? parsed.value.values.file : problemLine(parsed.problem);
  };
  assert.deepEqual(files(), ['variable.yaml']);
  assert.deepEqual(files('-f', 'a.yaml'), ['a.yaml']);
  assert.deepEqual(files('-f', 'a.yaml', '--file=b.yaml,c.yaml', '-f=-'), [
    'a.yaml',
    'b.yaml',
    'c.yaml',
    '-',
  ]);
});
