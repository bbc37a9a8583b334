import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemLine } from '../problem.ts';
import { flagRows, rowsOf } from './catalogue.ts';
import { describeValues } from './describe.ts';
import { parseCommandLine } from './parse.ts';

test('values are printed by flag, in the form that would set them', () => {
  const lines = describeValues({
    kafkaPort: 9092,
    batchTimeout: 250,
    roles: ['proxy', 'jobs'],
    agentGroup: '',
    batchMaxSizeBytes: undefined,
    DD_AGENT_HOST: 'statsd',
  });
  assert.deepEqual(lines, [
    '-kafkaPort=9092',
    '-batchTimeout=250ms',
    '-roles=proxy,jobs',
    '-agentGroup=',
    'DD_AGENT_HOST=statsd',
  ]);
});

const planted = 'hunter2';

/** Texts that contain a password where such a value would have one. */
const plantedTexts: Readonly<Record<string, string>> = {
  URL: `https://user:${planted}@host`,
  'bucket URL': `postgres://user:${planted}@host/db`,
  'database URL': `postgres://user:${planted}@host/db?password=${planted}`,
  'HTTP headers': `authorization=${planted}`,
};

test('no secret that is set appears in the description or in a problem', () => {
  const carriers = flagRows.filter(({ secret, type }) => secret || type.conceal !== undefined);
  assert.ok(carriers.length > 10);
  for (const row of carriers) {
    const text = plantedTexts[(row.type.item ?? row.type).label] ?? planted;
    const command = row.commands[0]!;
    const parsed = parseCommandLine(command, [], { [row.env]: text });
    assert.ok('value' in parsed, row.name);
    const lines = describeValues(parsed.value.values).join('\n');
    assert.match(lines, new RegExp(`^-?${row.name}=.*\\(hidden\\)`, 'm'));
    assert.ok(!lines.includes(planted), row.name);

    if (!row.hasFlag) continue;
    const contradicting = parseCommandLine(command, [`-${row.name}=${text}`, `-${row.name}=${text}x`], {});
    assert.ok('problem' in contradicting, row.name);
    assert.ok(!problemLine(contradicting.problem).includes(planted), row.name);
  }
});

test('no mistyped secret appears in a problem', () => {
  const cases: readonly (readonly string[])[] = [
    ['-agentKey=line one\nhunter2'],
    ['-agentKye=hunter2'],
    ['-agentKye', 'hunter2'],
    ['-agentKey', 'correct horse', 'hunter2'],
    ['-multiregion', 'hunter2'],
    ['-otlpMetricsHeaders', 'hunter2'],
    ['-otlpMetricsHeaders', 'a=hunter2,a=hunter2'],
    ['-otlpMetricsHeaders', 'a=hunter2%0d%0ab: c'],
    ['-otlpMetricsURL', 'htp://user:hunter2@host'],
    ['-metadataURL', 'htp://user:hunter2@host'],
    ['-bucketURL', 'service_stripe://postgres://user:hunter2@host'],
    ['-additionalBackgroundTasksBucketURLs', 'mem://a,ftp://user:hunter2@host'],
  ];
  for (const argv of cases) {
    const parsed = parseCommandLine('agent', argv, {});
    assert.ok('problem' in parsed, argv.join(' '));
    assert.ok(!problemLine(parsed.problem).includes('hunter2'), problemLine(parsed.problem));
  }
});

test('every command describes its own defaults', () => {
  for (const { name } of rowsOf('agent').filter((row) => row.default !== undefined)) {
    const parsed = parseCommandLine('agent', [], {});
    assert.ok('value' in parsed);
    assert.ok(
      describeValues(parsed.value.values).some((line) => line.startsWith(`-${name}=`)),
      name,
    );
  }
});
