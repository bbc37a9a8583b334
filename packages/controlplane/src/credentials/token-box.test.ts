import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createSecretBox } from '../accounts/secrets/secret-box.ts';
import { tokenBox } from './token-box.ts';

/** Seals as `Secrets` does, without its tables. */
function secretsWith(key: Buffer) {
  const box = createSecretBox([key], randomBytes);
  return {
    sealText: (value: string, purpose: string) => box.seal(value, purpose),
    openText(sealed: string, purpose: string) {
      try {
        return box.open(sealed, purpose);
      } catch {
        return undefined;
      }
    },
  };
}

const atOnce = async () => {};

test('an HMAC is sealed for one token of one cluster', async () => {
  const secrets = secretsWith(Buffer.alloc(32, 1));
  const box = tokenBox(secrets, 'vci_1', atOnce);
  const hmac = randomBytes(64);
  const sealedHmac = (await box.seal('t1', hmac))!;
  assert.ok(!sealedHmac.includes(hmac.toString('base64url').slice(0, 20)));
  const opened = await box.open([
    { tokenId: 't1', sealedHmac },
    { tokenId: 't2', sealedHmac },
    { tokenId: 't1', sealedHmac: 'other' },
  ]);
  assert.deepEqual(opened, [hmac, undefined, undefined]);
  const others = [
    tokenBox(secrets, 'vci_2', atOnce),
    tokenBox(secretsWith(Buffer.alloc(32, 2)), 'vci_1', atOnce),
  ];
  for (const other of others)
    assert.deepEqual(await other.open([{ tokenId: 't1', sealedHmac }]), [undefined]);
});

test('many tokens are opened in turns, in their order; without keys nothing is sealed', async () => {
  let turns = 0;
  const box = tokenBox(secretsWith(Buffer.alloc(32, 1)), 'vci_1', async () => {
    turns++;
  });
  const tokens = [];
  for (let count = 0; count < 250; count++) {
    const tokenId = `t${count}`;
    tokens.push({ tokenId, sealedHmac: (await box.seal(tokenId, Buffer.from(tokenId)))! });
  }
  assert.deepEqual(
    (await box.open(tokens)).map(String),
    tokens.map(({ tokenId }) => tokenId),
  );
  assert.equal(turns, 2);
  const without = tokenBox({ sealText: () => undefined, openText: () => undefined }, 'vci_1', atOnce);
  assert.equal(await without.seal('t', Buffer.from('x')), undefined);
});
