import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apis } from '@weir/wire';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

test('the response lists the table of handlers', async () => {
  const { call } = await startTestAgent();
  for (const version of [0, 1, 2, 3, 4]) {
    const software = version >= 3 ? { clientSoftwareName: 'a-b.c', clientSoftwareVersion: '1' } : {};
    const { errorCode, apiKeys } = answered(await call('ApiVersions', version, software));
    assert.equal(errorCode, 0);
    const ranges = new Map(
      apiKeys.map(({ apiKey, minVersion, maxVersion }) => [apiKey, [minVersion, maxVersion]]),
    );
    assert.deepEqual(ranges.get(apis.Produce.key), [0, 13]);
    assert.deepEqual(ranges.get(apis.Metadata.key), [0, 13]);
    assert.deepEqual(ranges.get(apis.ApiVersions.key), [0, 4]);
    // Its newest version is unstable and not advertised.
    assert.deepEqual(ranges.get(apis.InitProducerId.key), [0, 5]);
    assert.deepEqual(ranges.get(apis.AddPartitionsToTxn.key), [0, 5]);
    for (const [unserved, key] of Object.entries({ LeaderAndIsr: 4, Envelope: 58 })) {
      assert.equal(ranges.has(key), false, unserved);
    }
    assert.equal(ranges.size, apiKeys.length, 'each API is listed once');
  }
});

test('features are returned from v3 on, and ranges of features that can be off from v4 on', async () => {
  const { call } = await startTestAgent();
  const software = { clientSoftwareName: 'a', clientSoftwareVersion: '1' };
  for (const version of [2, 3, 4]) {
    const answer = answered(await call('ApiVersions', version, version >= 3 ? software : {}));
    const levels = new Map(answer.finalizedFeatures.map((one) => [one.name, one.maxVersionLevel]));
    const ranges = new Map(
      answer.supportedFeatures.map((one) => [one.name, [one.minVersion, one.maxVersion]]),
    );
    assert.equal(levels.get('group.version'), version >= 3 ? 1 : undefined);
    assert.deepEqual(ranges.get('group.version'), version >= 4 ? [0, 1] : undefined);
    assert.equal(levels.get('metadata.version'), version >= 3 ? 30 : undefined);
    assert.deepEqual(ranges.get('metadata.version'), version >= 3 ? [7, 30] : undefined);
    assert.equal(levels.get('transaction.version'), version >= 3 ? 2 : undefined);
    assert.deepEqual(ranges.get('transaction.version'), version >= 4 ? [0, 2] : undefined);
    assert.equal(answer.finalizedFeaturesEpoch >= 0n, version >= 3);
  }
});

test('software names and versions are validated', async () => {
  const { call } = await startTestAgent();
  const cases: [name: string, version: string, ok: boolean][] = [
    ['apache-kafka-java', '4.3.0', true],
    ['x', '1', true],
    ['', '1', false],
    ['librdkafka', '', false],
    ['-x', '1', false],
    ['x.', '1', false],
    ['x y', '1', false],
    ['x', '1\n', false],
  ];
  for (const [clientSoftwareName, clientSoftwareVersion, ok] of cases) {
    const { errorCode } = answered(
      await call('ApiVersions', 3, { clientSoftwareName, clientSoftwareVersion }),
    );
    assert.equal(
      errorCode,
      codeOf(ok ? 'NONE' : 'INVALID_REQUEST'),
      `${clientSoftwareName} ${clientSoftwareVersion}`,
    );
  }
});
