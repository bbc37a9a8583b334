import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { freshKeySecret, hashSecret } from './accounts/secrets/secrets.ts';
import { authorizeByAgentKeys, authorizeByAny } from './agent-keys.ts';

test('a key is aks_ and 64 hex digits', () => {
  const zeros = freshKeySecret((count) => new Uint8Array(count));
  assert.equal(zeros, `aks_${'0'.repeat(64)}`);
  assert.match(freshKeySecret(randomBytes), /^aks_[0-9a-f]{64}$/);
});

test('a key grants access to its own cluster and nothing else', () => {
  const [one, two, none] = [1, 2, 3].map((byte) => freshKeySecret((count) => Buffer.alloc(count, byte)));
  const authorize = authorizeByAgentKeys([
    { name: 'akn_one', keyHash: hashSecret(one!), clusterId: 'vci_one' },
    { name: 'akn_two', keyHash: hashSecret(two!), clusterId: 'vci_two' },
    { name: 'akn_both', keyHash: hashSecret(two!), clusterId: 'vci_one' },
  ]);
  const cases: [clusterId: string, key: string, isAdmitted: boolean][] = [
    ['vci_one', one!, true],
    ['vci_two', one!, false],
    ['vci_two', two!, true],
    ['vci_one', two!, true],
    ['vci_one', none!, false],
    ['vci_one', '', false],
    ['vci_one', `${one} `, false],
    ['vci_one', one!.toUpperCase(), false],
    // The hash itself grants no access.
    ['vci_one', hashSecret(one!), false],
    ['', one!, false],
  ];
  for (const [clusterId, key, isAdmitted] of cases) {
    assert.equal(authorize(clusterId, key, '::1'), isAdmitted, `${clusterId} ${key}`);
  }
});

test('an invalid hash is refused by name', () => {
  const wrong = { name: 'akn_wrong', keyHash: 'aks_0123', clusterId: 'vci_one' };
  assert.throws(() => authorizeByAgentKeys([wrong]), { message: /^akn_wrong: keyHash is not the SHA-256/ });
});

test('one of several authorizers is enough to admit, and no caller is refused while one cannot decide', async () => {
  const cases: [verdicts: (boolean | undefined)[], verdict: boolean | undefined][] = [
    [[true], true],
    [[false, true], true],
    [[undefined, true], true],
    [[false, false], false],
    [[false, undefined], undefined],
    [[], false],
  ];
  for (const [verdicts, verdict] of cases) {
    const authorize = authorizeByAny(...verdicts.map((one) => () => one));
    assert.equal(await authorize('vci_one', 'aks_1', '::1'), verdict, String(verdicts));
  }
});

test('an authorizer that refuses to work is not asked about a key that another one admits', async () => {
  const busy = () => Promise.reject(new Error('Too many calls; wait and try again.'));
  const known = authorizeByAny(
    () => true,
    () => undefined,
    busy,
  );
  assert.equal(await known('vci_one', 'aks_1', '::1'), true);
  const unknown = authorizeByAny(() => false, busy);
  await assert.rejects(async () => unknown('vci_one', 'aks_1', '::1'), /Too many calls/);
});
