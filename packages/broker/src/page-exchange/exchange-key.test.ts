import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { ExchangeKey, exchangeSkewMsMax, type Verified } from './exchange-key.ts';

const path = `/v1/internal/files/${'0'.repeat(32)}?page=0&pageBytes=4194304`;

function keyOf(agentKey: string, clusterId = 'vci_one', clock = new HandClock()) {
  return { key: new ExchangeKey({ secrets: () => [agentKey], clusterId, clock }), clock };
}

function signatureIn(verified: Verified): string | undefined {
  return 'signature' in verified ? verified.signature : undefined;
}

test('only holders of the key are recognised', () => {
  const { key, clock } = keyOf('aks_1');
  const { authorization, signature } = key.sign('GET', path);
  assert.equal(signatureIn(key.verify('GET', path, authorization)), signature);
  assert.ok(!authorization.includes('aks_1'), 'the key is not sent');

  const altered = authorization.slice(0, -1) + (authorization.endsWith('A') ? 'B' : 'A');
  const cases: [
    what: string,
    key: ExchangeKey,
    method: string,
    path: string,
    header: string | undefined,
    problem: RegExp,
  ][] = [
    ['no header', key, 'GET', path, undefined, /not signed/],
    ['an empty header', key, 'GET', path, '', /must be Weir-Page-V1/],
    ['another scheme', key, 'GET', path, 'Bearer aks_1', /must be Weir-Page-V1/],
    ['a trailing space', key, 'GET', path, `${authorization} `, /must be Weir-Page-V1/],
    ['another signature', key, 'GET', path, altered, /not an agent of this cluster/],
    ['another method', key, 'POST', path, authorization, /not an agent of this cluster/],
    [
      'another page',
      key,
      'GET',
      path.replace('page=0', 'page=1'),
      authorization,
      /not an agent of this cluster/,
    ],
    [
      'another time',
      key,
      'GET',
      path,
      authorization.replace(/time=\d/, 'time=2'),
      /not an agent of this cluster/,
    ],
    ['another key', keyOf('aks_2').key, 'GET', path, authorization, /not an agent of this cluster/],
    [
      'another cluster',
      keyOf('aks_1', 'vci_two').key,
      'GET',
      path,
      authorization,
      /not an agent of this cluster/,
    ],
  ];
  for (const [what, verifier, method, target, header, problem] of cases) {
    const verified = verifier.verify(method, target, header);
    assert.match('problem' in verified ? verified.problem : 'accepted', problem, what);
  }

  clock.advance(exchangeSkewMsMax);
  assert.ok('signature' in key.verify('GET', path, authorization));
  clock.advance(1);
  assert.match(JSON.stringify(key.verify('GET', path, authorization)), /clock skew of the request/);
  const early = keyOf('aks_1', 'vci_one', new HandClock(clock.nowMs() + exchangeSkewMsMax + 1)).key;
  assert.match(JSON.stringify(key.verify('GET', path, early.sign('GET', path).authorization)), /clock skew/);
});

test('an answer proves that it belongs to this request and length, and comes from an agent', () => {
  const { key } = keyOf('aks_1');
  const { signature } = key.sign('GET', path);
  const other = key.sign('GET', path.replace('page=0', 'page=1')).signature;
  const verified = key.verify('GET', path, key.sign('GET', path).authorization);
  const proof = 'prove' in verified ? verified.prove(100) : '';
  assert.equal(key.isProven(signature, 100, proof), true);
  assert.equal(key.isProven(signature, 101, proof), false);
  assert.equal(key.isProven(other, 100, proof), false);
  assert.equal(key.isProven(signature, 100, undefined), false);
  assert.equal(key.isProven(signature, 100, ''), false);
  assert.equal(
    key.isProven(signature, 100, signature),
    false,
    'a request signature does not prove an answer',
  );
  assert.equal(keyOf('aks_2').key.isProven(signature, 100, proof), false);
});

test('a replaced key is used soon, and is not read for every page', () => {
  const clock = new HandClock();
  let agentKey = 'aks_old';
  let reads = 0;
  const read = () => {
    reads++;
    return [agentKey] as const;
  };
  const key = new ExchangeKey({ secrets: read, clusterId: 'vci_one', clock });
  const before = key.sign('GET', path);
  agentKey = 'aks_new';
  for (let times = 0; times < 100; times++) {
    assert.ok('signature' in key.verify('GET', path, before.authorization));
  }
  assert.equal(reads, 1);
  clock.advance(1_000);
  assert.ok('problem' in key.verify('GET', path, before.authorization));
  const renewed = keyOf('aks_new', 'vci_one', clock).key;
  assert.ok('signature' in renewed.verify('GET', path, key.sign('GET', path).authorization));
});

test('agents that learn of a rotation at different times understand each other', () => {
  const clock = new HandClock();
  const agentWith = (...secrets: [string, ...string[]]) =>
    new ExchangeKey({ secrets: () => secrets, clusterId: 'vci_one', clock });
  const early = agentWith('two', 'three', 'one');
  const late = agentWith('one', 'two');
  for (const [client, server] of [
    [early, late],
    [late, early],
  ] as const) {
    const { authorization, signature } = client.sign('GET', path);
    const verified = server.verify('GET', path, authorization);
    assert.ok('prove' in verified);
    assert.equal(client.isProven(signature, 100, verified.prove(100)), true);
  }
  const replaced = agentWith('four', 'five', 'six');
  for (const revoked of [early, late]) {
    assert.ok('problem' in replaced.verify('GET', path, revoked.sign('GET', path).authorization));
  }
});
