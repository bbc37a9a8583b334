import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ClientQuotaFilter,
  type QuotaEntity,
  type QuotaFilterPart,
  quotaEntityKey,
  quotaEntityOf,
} from '@weir/cluster';
import type { QuotaChange } from '@weir/cluster/testing';
import fc from 'fast-check';
import { Cluster } from '../../testing/cluster.ts';
import { describeQuotas } from './describe-quotas.ts';

/** `user=alice client-id=*`, where `*` is the default entity. */
function entityOf(text: string): QuotaEntity {
  return text
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => {
      const [type = '', name = ''] = part.split('=');
      return { type, name: name === '*' ? null : name };
    });
}

/** `producer_byte_rate=10 request_percentage=-`, where `-` removes. */
function changesOf(text: string): QuotaChange[] {
  return text.split(' ').map((part) => {
    const [key = '', value = ''] = part.split('=');
    return { key, value: value === '-' ? null : Number(value) };
  });
}

function alter(cluster: Cluster, rows: readonly (readonly [string, string])[], validateOnly = false) {
  const entities = rows.map(([entity, changes]) => ({
    entity: entityOf(entity),
    changes: changesOf(changes),
  }));
  return cluster.execute({ kind: 'alterClientQuotas', entities, validateOnly });
}

function described(cluster: Cluster, filter: ClientQuotaFilter = { parts: [], isStrict: false }): string[] {
  return describeQuotas(cluster.machine.kv, filter).map(({ entity, quotas }) => {
    const names = entity.map(({ type, name }) => `${type}=${name ?? '*'}`).join(' ');
    return `${names}: ${Object.entries(quotas).map((pair) => pair.join('='))}`;
  });
}

const valid: [entity: string, changes: string][] = [
  ['user=alice', 'producer_byte_rate=1024'],
  ['user=*', 'consumer_byte_rate=1 request_percentage=0.5'],
  ['client-id=app', 'controller_mutation_rate=2.5'],
  ['client-id=*', 'producer_byte_rate=1'],
  ['user=alice client-id=app', 'request_percentage=200'],
  ['client-id=* user=*', 'producer_byte_rate=9007199254740991'],
  ['ip=10.1.2.3', 'connection_creation_rate=10'],
  ['ip=fd00::1', 'connection_creation_rate=10'],
  ['ip=*', 'connection_creation_rate=1'],
];

for (const [entity, changes] of valid) {
  test(`a quota that can be set: ${entity} ${changes}`, () => {
    const cluster = new Cluster();
    assert.deepEqual(alter(cluster, [[entity, changes]]), [{ error: 'NONE', message: null }]);
    assert.equal(described(cluster).length, 1);
  });
}

const invalid: [entity: string, changes: string, message: RegExp][] = [
  ['', 'producer_byte_rate=1', /is empty/],
  ['topic=t', 'producer_byte_rate=1', /Quotas cannot be set for topic/],
  ['user=', 'producer_byte_rate=1', /The user is empty/],
  [`user=${'x'.repeat(1025)}`, 'producer_byte_rate=1', /1025 characters; at most 1024/],
  ['user=a user=b', 'producer_byte_rate=1', /two parts of type user/],
  ['ip=10.1.2.3 user=a', 'connection_creation_rate=1', /by itself/],
  ['ip=example.org', 'connection_creation_rate=1', /"example.org" is not an IP address/],
  ['user=a', 'connection_creation_rate=1', /not a quota of this entity; it can have producer_byte_rate,/],
  ['ip=10.1.2.3', 'producer_byte_rate=1', /it can have connection_creation_rate\./],
  ['user=a', 'constructor=1', /not a quota/],
  ['user=a', 'producer_byte_rate=0', /above 0/],
  ['user=a', 'request_percentage=-1', /above 0/],
  ['user=a', 'request_percentage=NaN', /above 0/],
  ['user=a', 'request_percentage=Infinity', /above 0/],
  ['user=a', 'producer_byte_rate=1.5', /whole number/],
  ['user=a', 'producer_byte_rate=1e17', /at most 9007199254740991/],
  ['user=a', 'producer_byte_rate=1 producer_byte_rate=-', /more than once/],
];

for (const [entity, changes, message] of invalid) {
  test(`a quota that cannot be set: ${entity.slice(0, 30)} ${changes}`, () => {
    const cluster = new Cluster();
    const [result] = alter(cluster, [[entity, changes]]);
    assert.equal(result!.error, 'INVALID_REQUEST');
    assert.match(result!.message!, message);
    assert.deepEqual([described(cluster), cluster.journal.length], [[], 0]);
  });
}

test('quotas are set, changed and removed individually, and entities without quotas are removed', () => {
  const cluster = new Cluster();
  alter(cluster, [['user=a', 'producer_byte_rate=1 consumer_byte_rate=2']]);
  alter(cluster, [['user=a', 'producer_byte_rate=3 request_percentage=- never_heard_of=-']]);
  assert.deepEqual(described(cluster), ['user=a: consumer_byte_rate=2,producer_byte_rate=3']);
  alter(cluster, [['user=a', 'producer_byte_rate=- consumer_byte_rate=-']]);
  assert.deepEqual([described(cluster), cluster.machine.kv.count], [[], 0]);
  assert.deepEqual(cluster.replay().changes.at(-1), {
    kind: 'record',
    namespace: 'clientQuota',
    key: quotaEntityKey(entityOf('user=a')),
    value: null,
  });
});

test('each entity is validated independently, and one that is named twice is refused both times', () => {
  const cluster = new Cluster();
  const results = alter(cluster, [
    ['user=a', 'producer_byte_rate=1'],
    ['user=b client-id=c', 'producer_byte_rate=1'],
    ['client-id=c user=b', 'producer_byte_rate=2'],
    ['topic=a', 'producer_byte_rate=1'],
    ['topic=b', 'producer_byte_rate=1'],
    ['user=d', 'producer_byte_rate=0'],
  ]);
  assert.deepEqual(
    results.map(({ error }) => error),
    ['NONE', ...Array(5).fill('INVALID_REQUEST')],
  );
  assert.match(results[2]!.message!, /more than once/);
  assert.match(results[4]!.message!, /Quotas cannot be set for topic/);
  assert.deepEqual(described(cluster), ['user=a: producer_byte_rate=1']);
});

test('validateOnly and unchanged quotas write no entry', () => {
  const cluster = new Cluster();
  assert.equal(alter(cluster, [['user=a', 'producer_byte_rate=1']], true)[0]!.error, 'NONE');
  assert.equal(cluster.journal.length, 0);
  alter(cluster, [['user=a', 'producer_byte_rate=1']]);
  alter(cluster, [['user=a', 'producer_byte_rate=1']]);
  assert.equal(cluster.journal.length, 1);
});

test('quotas are bounded by number of entities, and one can replace another', () => {
  const cluster = new Cluster({ clientQuotasMax: 2 });
  const one = 'producer_byte_rate=1';
  const errorsOf = (...rows: [string, string][]) => alter(cluster, rows).map(({ error }) => error);
  assert.deepEqual(errorsOf(['user=a', one], ['user=b', one], ['user=c', one]), [
    'NONE',
    'NONE',
    'POLICY_VIOLATION',
  ]);
  assert.deepEqual(errorsOf(['user=a', 'producer_byte_rate=-'], ['user=c', one]), ['NONE', 'NONE']);
  assert.deepEqual(errorsOf(['user=b', 'producer_byte_rate=2']), ['NONE']);
  assert.deepEqual(described(cluster), ['user=b: producer_byte_rate=2', 'user=c: producer_byte_rate=1']);
});

test('a filter matches entities with all of its parts, and a strict one those without others', () => {
  const cluster = new Cluster();
  const entities = [
    'user=a',
    'user=*',
    'client-id=c',
    'user=a client-id=c',
    'user=a client-id=*',
    'user=b client-id=c',
  ];
  alter(
    cluster,
    entities.map((entity) => [entity, 'producer_byte_rate=1']),
  );
  alter(cluster, [['ip=10.0.0.1', 'connection_creation_rate=1']]);
  const is = (type: QuotaFilterPart['type'], name: string): QuotaFilterPart => ({
    type,
    match: 'name',
    name,
  });
  const usual = (type: QuotaFilterPart['type']): QuotaFilterPart => ({ type, match: 'default', name: null });
  const any = (type: QuotaFilterPart['type']): QuotaFilterPart => ({ type, match: 'any', name: null });
  const all = [...entities, 'ip=10.0.0.1'];
  const cases: [parts: QuotaFilterPart[], loosely: string[], strictly: string[]][] = [
    [[], all, []],
    [[is('user', 'a')], ['user=a', 'user=a client-id=c', 'user=a client-id=*'], ['user=a']],
    [[usual('user')], ['user=*'], ['user=*']],
    [[any('user')], entities.filter((entity) => entity !== 'client-id=c'), ['user=a', 'user=*']],
    [[is('user', 'a'), usual('client-id')], ['user=a client-id=*'], ['user=a client-id=*']],
    [
      [any('user'), is('client-id', 'c')],
      ['user=a client-id=c', 'user=b client-id=c'],
      ['user=a client-id=c', 'user=b client-id=c'],
    ],
    [[any('ip')], ['ip=10.0.0.1'], ['ip=10.0.0.1']],
    [[is('user', 'nobody')], [], []],
  ];
  for (const [parts, loosely, strictly] of cases) {
    const names = (isStrict: boolean) =>
      described(cluster, { parts, isStrict }).map((line) => line.split(': ')[0]);
    assert.deepEqual([names(false), names(true)], [loosely, strictly], JSON.stringify(parts));
  }
});

test('an entity has one key, from which it can be read', () => {
  const name = fc.option(fc.string({ minLength: 1 }), { nil: null });
  fc.assert(
    fc.property(name, name, fc.constantFrom('user', 'client-id', 'both'), (user, clientId, which) => {
      const parts = [
        { type: 'user', name: user },
        { type: 'client-id', name: clientId },
      ].filter(({ type }) => which === 'both' || which === type);
      assert.deepEqual(quotaEntityOf(quotaEntityKey(parts)), parts);
      assert.equal(quotaEntityKey([...parts].reverse()), quotaEntityKey(parts));
    }),
  );
});
