import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createSecretBox, secretKeyBytes } from '../accounts/secrets/secret-box.ts';
import { exporterSecrets } from './exporter-secrets.ts';

const box = createSecretBox([randomBytes(secretKeyBytes)], randomBytes);

function secretsOf(clusterId: string, hasKeys = true) {
  return exporterSecrets(
    {
      list: async () => [],
      open: async () => ({}),
      sealText: (value, purpose) => (hasKeys ? box.seal(value, purpose) : undefined),
      openText: (sealed, purpose) => {
        try {
          return box.open(sealed, purpose);
        } catch {
          return undefined;
        }
      },
    },
    { accountId: 'a', id: clusterId },
  );
}

test('secrets of an exporter open for its settings alone', async () => {
  const secrets = secretsOf('c');
  const settings = [
    { setting: 'token', value: 't0ken' },
    { setting: 'key', value: 'k3y' },
  ];
  const [token, key] = (await secrets.seal('e', settings))!;
  assert.doesNotMatch(`${token} ${key}`, /t0ken|k3y/);
  const all = [
    { setting: 'token', sealed: token! },
    { setting: 'key', sealed: key! },
  ];
  assert.deepEqual(await secrets.openSealed('e', all), { [token!]: 't0ken', [key!]: 'k3y' });
  const moved = [{ setting: 'key', sealed: token! }];
  assert.deepEqual(await secrets.openSealed('e', moved), {}, 'in another setting');
  assert.deepEqual(await secrets.openSealed('other', all), {}, 'in another exporter');
  assert.deepEqual(await secretsOf('another cluster').openSealed('e', all), {}, 'in another cluster');
});

test('nothing is sealed without keys', async () => {
  assert.equal(await secretsOf('c', false).seal('e', [{ setting: 'token', value: 't' }]), undefined);
});
