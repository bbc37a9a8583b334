import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clusterNamedIn, isAgentToken, readAgentToken, signAgentToken } from './agent-tokens.ts';

const secret = [Buffer.alloc(32, 1)] as const;
const claims = { clusterId: 'vci_1', bindingMark: 'mark', endMs: 1_700_000_000_000 };

test('a signed token is accepted, and with another secret it is not', () => {
  const token = signAgentToken(claims, secret);
  assert.ok(isAgentToken(token));
  assert.deepEqual(readAgentToken(token, secret), claims);
  assert.equal(readAgentToken(token, [Buffer.alloc(32, 2)]), undefined);
});

test('a token of a region says which, and one that says it otherwise is not accepted', () => {
  const bound = { ...claims, region: 'east' };
  assert.deepEqual(readAgentToken(signAgentToken(bound, secret), secret), bound);
  const odd = signAgentToken({ ...claims, region: 7 as unknown as string }, secret);
  assert.equal(readAgentToken(odd, secret), undefined);
});

test('a modified token is not accepted', () => {
  const token = signAgentToken(claims, secret);
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
      const changed = token.slice(0, at) + character + token.slice(at + 1);
      fc.pre(changed !== token);
      assert.equal(readAgentToken(changed, secret), undefined);
    }),
  );
  for (const wrong of ['', 'agt_', 'aks_1', token.slice(0, -1), `${token}x`, `${token}.`, ` ${token}`]) {
    assert.equal(readAgentToken(wrong, secret), undefined, wrong);
  }
});

test('the cluster of a token is read without a secret, and from nothing else', () => {
  assert.equal(clusterNamedIn(signAgentToken(claims, secret)), 'vci_1');
  const written = (claims: unknown) =>
    `agt_${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${'x'.repeat(43)}`;
  assert.equal(clusterNamedIn(written(['vci_2', 'mark', 1])), 'vci_2');
  for (const wrong of [null, 7, 'vci_1', {}, [], ['vci_1'], [1, 'mark', 1], ['vci_1', 'mark', '1']])
    assert.equal(clusterNamedIn(written(wrong)), undefined, JSON.stringify(wrong));
  for (const wrong of ['', 'agt_', 'agt_x.y', `agt_x.${'x'.repeat(43)}`])
    assert.equal(clusterNamedIn(wrong), undefined, wrong);
});

test('a token is accepted with each of the secrets, and signed with the first', () => {
  const [before, current, next] = [1, 2, 3].map((value) => Buffer.alloc(32, value));
  const token = signAgentToken(claims, [current!, next!, before!]);
  for (const accepted of [[current!], [next!, current!], [before!, next!, current!]] as const)
    assert.deepEqual(readAgentToken(token, accepted), claims);
  assert.equal(readAgentToken(token, [next!, before!]), undefined);
});
