import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemLine } from '../problem.ts';
import { flagRows } from './catalogue.ts';
import { parseCommandLine } from './parse.ts';

const planted = 'hunter2';

/** Texts that contain a password where such a value would have one. */
const plantedTexts: Readonly<Record<string, string>> = {
  URL: `https://user:${planted}@host`,
  'bucket URL': `postgres://user:${planted}@host/db`,
  'database URL': `postgres://user:${planted}@host/db?password=${planted}`,
  'HTTP headers': `authorization=${planted}`,
};

test('no secret that is set appears in a problem', () => {
  const carriers = flagRows.filter(({ secret, type }) => secret || type.conceal !== undefined);
  assert.ok(carriers.length > 10);
  for (const row of carriers) {
    const text = plantedTexts[(row.type.item ?? row.type).label] ?? planted;
    const command = row.commands[0]!;
    const parsed = parseCommandLine(command, [], { [row.env]: text });
    assert.ok('value' in parsed, row.name);
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
