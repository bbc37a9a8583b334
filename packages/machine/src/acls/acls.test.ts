import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AclFilter, aclKey, describeAcl, invalidAcls, readAclKey, readAcls } from '@weir/cluster';

import {
  type Acl,
  type AclOperation,
  type AclPatternType,
  type AclPermission,
  type AclResourceType,
  coreLimits,
} from '@weir/core';
import { rpcLimits } from '@weir/rpc/limits';
import fc from 'fast-check';
import { Cluster } from '../../testing/cluster.ts';
import { machineLimits } from '../limits.ts';
import { ClusterMachine } from '../machine.ts';
import { describeAcls } from './describe-acls.ts';

const readOrders: Acl = {
  resourceType: 'TOPIC',
  resourceName: 'orders',
  patternType: 'LITERAL',
  principal: 'User:alice',
  host: '*',
  operation: 'READ',
  permission: 'ALLOW',
};
const anyAcl: AclFilter = {
  resourceType: 'ANY',
  resourceName: null,
  patternType: 'ANY',
  principal: null,
  host: null,
  operation: 'ANY',
  permission: 'ANY',
};

function create(cluster: Cluster, ...acls: Acl[]) {
  return cluster.execute({ kind: 'createAcls', acls }).map(({ error }) => error);
}

function remove(cluster: Cluster, ...filters: AclFilter[]) {
  return cluster.execute({ kind: 'deleteAcls', filters });
}

function known(cluster: Cluster, filter: Partial<AclFilter> = {}): string[] {
  return describeAcls(cluster.machine.kv, { ...anyAcl, ...filter }).map(describeAcl);
}

describe('creating and deleting', () => {
  test('a rule that is created twice exists once, and a deleted rule is gone', () => {
    const cluster = new Cluster();
    const deny: Acl = { ...readOrders, permission: 'DENY', resourceName: 'or', patternType: 'PREFIXED' };
    assert.deepEqual(create(cluster, readOrders, deny, readOrders), ['NONE', 'NONE', 'NONE']);
    assert.deepEqual(create(cluster, readOrders), ['NONE']);
    assert.equal(cluster.journal.length, 1, 'requests without effect write no entry');
    assert.deepEqual(known(cluster), [
      'TOPIC orders: ALLOW READ for User:alice from *',
      'TOPIC or (PREFIXED): DENY READ for User:alice from *',
    ]);
    const results = remove(cluster, readOrders, { ...anyAcl, principal: 'User:bob' });
    assert.deepEqual(results, [
      { error: 'NONE', message: null, deleted: [readOrders] },
      { error: 'NONE', message: null, deleted: [] },
    ]);
    assert.equal(known(cluster).length, 1);
  });

  test('a rule that matches two filters is in both answers and deleted once', () => {
    const cluster = new Cluster();
    create(cluster, readOrders);
    const results = remove(cluster, anyAcl, readOrders);
    assert.deepEqual(
      results.map(({ deleted }) => deleted),
      [[readOrders], [readOrders]],
    );
    assert.deepEqual(known(cluster), []);
  });

  test('rules survive a snapshot and reach agents', () => {
    const cluster = new Cluster();
    create(cluster, readOrders);
    const machine = ClusterMachine.restore(cluster.saved());
    const [record] = machine.snapshotForFollowers().records;
    assert.equal(record!.namespace, 'acl');
    assert.deepEqual(readAclKey(record!.key), readOrders);
    assert.deepEqual(cluster.replay().changes, [
      { kind: 'record', namespace: 'acl', key: aclKey(readOrders), value: Buffer.alloc(0) },
    ]);
  });

  test('a repeated request returns the first answer', () => {
    const cluster = new Cluster();
    create(cluster, readOrders);
    const first = cluster.request('agent 1', { kind: 'deleteAcls', filters: [anyAcl] });
    create(cluster, readOrders);
    const again = cluster.request('agent 1', { kind: 'deleteAcls', filters: [anyAcl] });
    assert.deepEqual(again, first);
    assert.equal(known(cluster).length, 1);
  });
});

const refused: [differences: Partial<Acl>, message: RegExp][] = [
  [{ resourceName: '' }, /name of a resource has 1 to 1024/],
  [{ resourceName: 'x'.repeat(1025) }, /name of a resource has 1 to 1024/],
  [{ host: '' }, /host has 1 to/],
  [{ principal: '' }, /principal has 1 to/],
  [{ principal: 'alice' }, /must be User:<name>/],
  [{ principal: 'User:' }, /must be User:<name>/],
  [{ principal: 'Group:admins' }, /must be User:<name>/],
  [{ principal: 'user:alice' }, /must be User:<name>/],
  [{ resourceType: 'CLUSTER', operation: 'ALTER' }, /only name of a CLUSTER is kafka-cluster, not orders/],
  [
    { resourceType: 'SUBJECT', operation: 'CREATE' },
    /nothing that can be done with a SUBJECT; there are ALL/,
  ],
];

for (const [differences, message] of refused) {
  test(`refused: ${JSON.stringify(differences).slice(0, 60)}`, () => {
    const cluster = new Cluster();
    const acls = [{ ...readOrders, ...differences }, readOrders];
    const [bad, good] = cluster.execute({ kind: 'createAcls', acls });
    assert.equal(bad!.error, 'INVALID_REQUEST');
    assert.match(bad!.message!, message);
    assert.equal(good!.error, 'NONE', 'the other rules are created');
    assert.equal(known(cluster).length, 1);
  });
}

const accepted: Partial<Acl>[] = [
  { resourceName: '*' },
  { operation: 'ALL' },
  { principal: 'User:*' },
  { principal: 'User:CN=alice,OU=Sales:East' },
  { principal: 'User:spiffe://prod/*' },
  { resourceType: 'CLUSTER', resourceName: 'kafka-cluster', operation: 'IDEMPOTENT_WRITE' },
  { resourceType: 'TRANSACTIONAL_ID', operation: 'TWO_PHASE_COMMIT' },
  { resourceType: 'USER', operation: 'CREATE_TOKENS' },
  { host: '10.0.0.1' },
];

const unusual: Partial<Acl>[] = [
  { operation: 'CLUSTER_ACTION' },
  { resourceType: 'GROUP', operation: 'WRITE' },
  { resourceType: 'CLUSTER', resourceName: 'kafka-cluster', operation: 'READ' },
  { resourceType: 'TRANSACTIONAL_ID', operation: 'DELETE' },
];

test('as in Kafka, operations that are unusual for a resource can be created, and are reported', () => {
  const cluster = new Cluster();
  const acls = unusual.map((differences) => ({ ...readOrders, ...differences }));
  assert.deepEqual(
    create(cluster, ...acls),
    acls.map(() => 'NONE'),
  );
  assert.deepEqual(
    invalidAcls(acls).map(({ acl }) => acl),
    acls,
  );
});

test('everything that Kafka allows can be created', () => {
  const cluster = new Cluster();
  const acls = accepted.map((differences) => ({ ...readOrders, ...differences }));
  assert.deepEqual(
    create(cluster, ...acls),
    acls.map(() => 'NONE'),
  );
  assert.deepEqual(invalidAcls(acls), []);
});

const useless: [differences: Partial<Acl>, reason: RegExp][] = [
  [{ patternType: 'PREFIXED', resourceName: '*' }, /PREFIXED \* matches nothing/],
  [{ resourceName: 'orders-*' }, /Topic names cannot contain a star/],
  [{ principal: 'User:team-*' }, /A star in a principal/],
  [{ principal: 'User:spiffe://prod/billing/*' }, /A star in a principal/],
  [{ host: 'app-1.internal' }, /must be an address/],
  [{ principal: 'alice' }, /must be User:/],
  [{ operation: 'TWO_PHASE_COMMIT' }, /nothing that can be done/],
];

for (const [differences, reason] of useless) {
  test(`reported as a rule that never decides: ${JSON.stringify(differences)}`, () => {
    const acl = { ...readOrders, ...differences };
    const [found, ...others] = invalidAcls([readOrders, acl]);
    assert.deepEqual(others, []);
    assert.deepEqual(found!.acl, acl);
    assert.match(found!.reason, reason);
  });
}

describe('limits', () => {
  test('rules are bounded by number, and one can replace another', () => {
    const cluster = new Cluster({ aclsMax: 2 });
    const of = (resourceName: string): Acl => ({ ...readOrders, resourceName });
    assert.deepEqual(create(cluster, of('a'), of('b'), of('c'), of('a')), [
      'NONE',
      'NONE',
      'POLICY_VIOLATION',
      'NONE',
    ]);
    remove(cluster, of('a'));
    assert.deepEqual(create(cluster, of('c')), ['NONE']);
    assert.equal(known(cluster).length, 2);
  });

  test('rules are bounded by total size', () => {
    const cluster = new Cluster({ aclBytesMax: 1000 });
    const of = (letter: string): Acl => ({ ...readOrders, resourceName: letter.repeat(300) });
    assert.deepEqual(create(cluster, of('a'), of('b'), of('c')), ['NONE', 'NONE', 'POLICY_VIOLATION']);
    remove(cluster, of('a'));
    assert.deepEqual(create(cluster, of('c'), of('d')), ['NONE', 'POLICY_VIOLATION']);
  });

  test('scans and deletions per call are bounded', () => {
    const cluster = new Cluster({ aclScansPerCallMax: 2, aclsDeletedPerCallMax: 2 });
    const of = (resourceName: string): Acl => ({ ...readOrders, resourceName });
    create(cluster, of('a'), of('b'), of('c'));
    const [tooMany, one, other, tooOften] = remove(
      cluster,
      anyAcl,
      of('a'),
      { ...anyAcl, resourceName: 'b' },
      anyAcl,
    );
    assert.equal(tooMany!.error, 'INVALID_REQUEST');
    assert.match(tooMany!.message!, /finds 3 ACLs; 2 can be deleted/);
    assert.deepEqual([one!.error, other!.error], ['NONE', 'NONE']);
    assert.match(tooOften!.message!, /At most 2 filters/);
    assert.deepEqual(known(cluster), ['TOPIC c: ALLOW READ for User:alice from *']);
  });

  test('agents can read a snapshot at all limits', () => {
    const credentials = machineLimits.scramCredentialsMax + coreLimits.credentialsMax;
    const followed =
      coreLimits.aclsMax + credentials + coreLimits.clientQuotasMax + coreLimits.clientMetricsMax;
    const columnsOfPartitions = 16;
    assert.ok(followed + columnsOfPartitions <= rpcLimits.rpcColumnsMax);
  });
});

const rules: Record<string, Acl> = {
  literal: readOrders,
  every: { ...readOrders, resourceName: '*' },
  prefix: { ...readOrders, resourceName: 'ord', patternType: 'PREFIXED' },
  other: { ...readOrders, resourceName: 'payments', principal: 'User:bob', host: '10.0.0.1' },
  group: { ...readOrders, resourceType: 'GROUP', permission: 'DENY' },
};

const filters: [filter: Partial<AclFilter>, found: string][] = [
  [{}, 'literal every prefix other group'],
  [{ resourceName: 'orders' }, 'literal group'],
  [{ resourceName: 'orders', patternType: 'LITERAL' }, 'literal group'],
  [{ resourceName: 'orders', patternType: 'PREFIXED' }, ''],
  [{ resourceName: 'ord', patternType: 'PREFIXED' }, 'prefix'],
  [{ resourceName: 'orders', patternType: 'MATCH' }, 'literal every prefix group'],
  [{ resourceName: 'or', patternType: 'MATCH' }, 'every'],
  [{ patternType: 'MATCH' }, 'literal every prefix other group'],
  [{ patternType: 'PREFIXED' }, 'prefix'],
  [{ resourceName: '*', patternType: 'LITERAL' }, 'every'],
  [{ resourceType: 'GROUP' }, 'group'],
  [{ principal: 'User:bob' }, 'other'],
  [{ host: '*', resourceType: 'TOPIC' }, 'literal every prefix'],
  [{ operation: 'ALL' }, ''],
  [{ permission: 'DENY' }, 'group'],
];

for (const [filter, found] of filters) {
  test(`${JSON.stringify(filter)} finds: ${found}`, () => {
    const cluster = new Cluster();
    create(cluster, ...Object.values(rules));
    const expected = found
      .split(' ')
      .filter((name) => name !== '')
      .map((name) => describeAcl(rules[name]!));
    assert.deepEqual(known(cluster, filter), expected);
    const [removed] = remove(cluster, { ...anyAcl, ...filter });
    assert.deepEqual(removed!.deleted.map(describeAcl), expected, 'the filter deletes the same rules');
    assert.equal(known(cluster).length, Object.keys(rules).length - expected.length);
  });
}

const someAcl: fc.Arbitrary<Acl> = fc.record({
  resourceType: fc.constantFrom<AclResourceType>('TOPIC', 'GROUP', 'CLUSTER'),
  resourceName: fc.oneof(fc.constantFrom('a', 'ab', '*', 'kafka-cluster', ''), fc.string()),
  patternType: fc.constantFrom<AclPatternType>('LITERAL', 'PREFIXED'),
  principal: fc.oneof(fc.constantFrom('User:a', 'User:b', 'a'), fc.string()),
  host: fc.constantFrom('*', '10.0.0.1'),
  operation: fc.constantFrom<AclOperation>('READ', 'ALTER', 'ALL'),
  permission: fc.constantFrom<AclPermission>('ALLOW', 'DENY'),
});

test('a key contains the whole rule, whatever characters its names have', () => {
  fc.assert(fc.property(someAcl, (acl) => assert.deepEqual(readAclKey(aclKey(acl)), { ...acl })));
  assert.equal(readAclKey(aclKey({ ...readOrders, operation: 'LEVITATE' as AclOperation })), undefined);
});

/** Reference implementation of filters, field by field. */
function fits(filter: AclFilter) {
  return (acl: Acl): boolean => {
    const fields = ['resourceType', 'principal', 'host', 'operation', 'permission'] as const;
    if (fields.some((field) => ![null, 'ANY', acl[field]].includes(filter[field]))) return false;
    const { resourceName: name, patternType } = filter;
    if (patternType !== 'MATCH') {
      return ['ANY', acl.patternType].includes(patternType) && [null, acl.resourceName].includes(name);
    }
    if (name === null) return true;
    const pattern = acl.resourceName;
    return acl.patternType === 'LITERAL' ? [name, '*'].includes(pattern) : name.indexOf(pattern) === 0;
  };
}

/**
 * A machine against a set: it has the rules that were created and not deleted, and so do its followers and a restored
 * machine.
 */
test('rules behave like a set in random runs', () => {
  const someFilter: fc.Arbitrary<AclFilter> = fc.oneof(
    someAcl,
    fc.record({
      resourceType: fc.constantFrom<AclFilter['resourceType']>('ANY', 'TOPIC'),
      resourceName: fc.constantFrom(null, 'a', 'ab', 'abc'),
      patternType: fc.constantFrom<AclFilter['patternType']>('ANY', 'MATCH', 'LITERAL', 'PREFIXED'),
      principal: fc.constantFrom(null, 'User:a'),
      host: fc.constantFrom(null, '*'),
      operation: fc.constantFrom<AclFilter['operation']>('ANY', 'READ'),
      permission: fc.constantFrom<AclFilter['permission']>('ANY', 'DENY'),
    }),
  );
  const step = fc.oneof(
    fc.array(someAcl, { maxLength: 8 }).map((made) => ({ made })),
    fc.array(someFilter, { maxLength: 3 }).map((gone) => ({ gone })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
      const cluster = new Cluster();
      const model = new Map<string, Acl>();
      for (const one of steps) {
        const before = new Map(model);
        if ('made' in one) {
          const results = create(cluster, ...one.made);
          for (const [index, acl] of one.made.entries()) {
            if (results[index] === 'NONE') model.set(JSON.stringify(Object.entries(acl).sort()), acl);
          }
        } else {
          const results = remove(cluster, ...one.gone);
          for (const [index, filter] of one.gone.entries()) {
            const deleted = results[index]!.deleted.map(aclKey).sort();
            assert.deepEqual(deleted, [...before.values()].filter(fits(filter)).map(aclKey).sort());
            for (const [key, acl] of model) if (fits(filter)(acl)) model.delete(key);
          }
        }
      }
      const expected = [...model.values()].map(aclKey).sort();
      const isThere = (machine: ClusterMachine) =>
        assert.deepEqual([...readAcls(machine.kv.of('acl').keys())].map(aclKey).sort(), expected);
      isThere(cluster.machine);
      isThere(cluster.replay().machine);
      isThere(ClusterMachine.restore(cluster.saved()));
    }),
  );
});
