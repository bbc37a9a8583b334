import assert from 'node:assert/strict';
import type { lookup as systemLookup } from 'node:dns';
import { test } from 'node:test';
import { listedAccess, pinnedAddress } from './outbound-access.ts';

/** A name that resolves to another address at every request, as in DNS rebinding. */
function rebinding(...answers: readonly string[]): typeof systemLookup {
  let asked = 0;
  const lookup = (_name: string, _options: object, done: (error: null, found: object[]) => void) => {
    const address = answers[Math.min(asked++, answers.length - 1)]!;
    done(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };
  return lookup as unknown as typeof systemLookup;
}

test('by default, pipelines of tenants reach the public internet and nothing else', async () => {
  // biome-ignore format: a table
  const cases: readonly [host: string, address: string, allowed: boolean][] = [
    ['db.example',       '8.8.8.8',         true],
    ['8.8.4.4',          '8.8.4.4',         true],
    ['db.example',       '127.0.0.1',       false],
    ['db.example',       '10.0.0.1',        false],
    ['db.example',       '169.254.169.254', false],
    ['db.example',       'fd00:ec2::254',   false],
    ['169.254.169.254',  '169.254.169.254', false],
    ['localhost',        '8.8.8.8',         false],
    ['[::1]',            '::1',             false],
    ['2130706433',       '8.8.8.8',         false],
  ];
  for (const [host, address, isAllowed] of cases) {
    const access = listedAccess(undefined, rebinding(address));
    const pinned = pinnedAddress(access, host, 5432);
    if (isAllowed) assert.equal(await pinned, address, host);
    else await assert.rejects(pinned, { name: 'HostRefused' }, host);
    if (isAllowed) await access.check(host, 5432);
    else await assert.rejects(access.check(host, 5432), /-allowedTargetHosts/, host);
  }
});

test('what an operator lists is allowed, with its port', async () => {
  const access = listedAccess(['10.0.0.0/8:5432'], rebinding('10.1.2.3'));
  assert.equal(await pinnedAddress(access, 'db.example', 5432), '10.1.2.3');
  await assert.rejects(access.check('db.example', 22), /has no address|is not a host/);
  await access.check('10.9.9.9');
  await assert.rejects(access.check('11.0.0.1'), /may not connect/);
});

test('the address that was checked is the one that is used', async () => {
  const access = listedAccess(['public'], rebinding('8.8.8.8', '127.0.0.1'));
  assert.equal(await pinnedAddress(access, 'db.example', 80), '8.8.8.8');
  await assert.rejects(pinnedAddress(access, 'db.example', 80), { name: 'HostRefused' });
});
