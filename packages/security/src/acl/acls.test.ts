import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { brokerLimits } from '@weir/broker';
import type { ReceivedRequest, RequestBody, ResponseBody } from '@weir/broker/testing';
import {
  answered,
  codeOf,
  errorName,
  type ServedAgent,
  startLeaderAgent,
  startTestAgent,
} from '@weir/broker/testing';
import {
  type AclOperation,
  type AclPermission,
  aclOperations,
  aclPatternTypes,
  aclPermissions,
  coreLimits,
  type KafkaResourceType,
  kafkaResourceTypes,
  Metrics,
  silentLog,
  systemClock,
} from '@weir/core';
import { until } from '@weir/core/testing';
import { apis } from '@weir/wire';
import type { Access } from '../access.ts';
import { openSession } from '../session/client-session.ts';
import { createAccessOf } from './access-of.ts';

type Creation = RequestBody<'CreateAcls'>['creations'][number];
type Filter = RequestBody<'DescribeAcls'>;
type Caller = Pick<ServedAgent, 'call'>;

/** Formats an ACL as `ALLOW User:alice READ TOPIC orders`, followed by `PREFIXED` if it is. */
function acl(text: string, differences: Partial<Creation> = {}): Creation {
  const [permission, principal, operation, resourceType, resourceName, patternType = 'LITERAL'] =
    text.split(' ');
  return {
    resourceType: kafkaResourceTypes[resourceType as KafkaResourceType],
    resourceName: resourceName!,
    resourcePatternType: aclPatternTypes[patternType as 'LITERAL'],
    principal: principal!,
    host: '*',
    operation: aclOperations[operation as AclOperation],
    permissionType: aclPermissions[permission as AclPermission],
    ...differences,
  };
}

const any: Filter = {
  resourceTypeFilter: 1,
  resourceNameFilter: null,
  patternTypeFilter: 1,
  principalFilter: null,
  hostFilter: null,
  operation: 1,
  permissionType: 1,
};

async function create(agent: Caller, creations: Creation[], version = 3) {
  const { results } = answered(await agent.call('CreateAcls', version, { creations }));
  return results;
}

async function remove(agent: Caller, filters: Partial<Filter>[], version = 3) {
  const completed = filters.map((filter) => ({ ...any, ...filter }));
  return answered(await agent.call('DeleteAcls', version, { filters: completed })).filterResults;
}

async function known(agent: Caller, filter: Partial<Filter> = {}, version = 3): Promise<string[]> {
  const answer = answered(await agent.call('DescribeAcls', version, { ...any, ...filter }));
  assert.equal(answer.errorCode, 0, answer.errorMessage ?? '');
  return answer.resources.flatMap((resource) =>
    resource.acls.map((entry) => textOf({ ...resource, ...entry })),
  );
}

type DescribedAcl = Omit<
  ResponseBody<'DeleteAcls'>['filterResults'][number]['matchingAcls'][number],
  'errorCode' | 'errorMessage'
>;

function textOf(described: DescribedAcl): string {
  const word = (words: Readonly<Record<string, number>>, number: number) =>
    Object.keys(words).find((name) => words[name] === number);
  return [
    word(aclPermissions, described.permissionType),
    described.principal,
    word(aclOperations, described.operation),
    word(kafkaResourceTypes, described.resourceType),
    described.resourceName,
    ...(described.patternType === aclPatternTypes.PREFIXED ? ['PREFIXED'] : []),
  ].join(' ');
}

describe('ACLs over a real leader', () => {
  for (const version of [1, 2, 3]) {
    test(`are created, described and deleted, v${version}`, async () => {
      await using agent = await startLeaderAgent();
      const texts = [
        'ALLOW User:alice READ TOPIC orders',
        'DENY User:* WRITE TOPIC orders',
        'ALLOW User:bob ALL GROUP team PREFIXED',
        'ALLOW User:bob IDEMPOTENT_WRITE CLUSTER kafka-cluster',
      ];
      const results = await create(
        agent,
        texts.map((text) => acl(text)),
        version,
      );
      assert.deepEqual(
        results,
        texts.map(() => ({ errorCode: 0, errorMessage: null })),
      );
      assert.equal(agent.view.records('acl').byKey.size, 4, 'visible before the answer');
      assert.deepEqual(await known(agent, {}, version), texts);
      assert.deepEqual(await known(agent, { principalFilter: 'User:bob' }, version), texts.slice(2));
      const matching = { resourceTypeFilter: 3, resourceNameFilter: 'team-a', patternTypeFilter: 2 };
      assert.deepEqual(await known(agent, matching, version), [texts[2]]);

      const [first, second] = await remove(
        agent,
        [{ resourceTypeFilter: 2 }, { hostFilter: '10.0.0.1' }],
        version,
      );
      assert.deepEqual(first!.matchingAcls.map(textOf), texts.slice(0, 2));
      assert.deepEqual([second!.errorCode, second!.matchingAcls], [0, []]);
      assert.equal(agent.view.records('acl').byKey.size, 2, 'visible before the answer');
      assert.deepEqual(await known(agent, {}, version), texts.slice(2));
    });
  }

  test('of the schema registry are neither shown to Kafka clients nor deleted by them', async () => {
    await using agent = await startLeaderAgent();
    const ofKafka = ['ALLOW User:alice READ TOPIC orders', 'ALLOW User:alice READ GROUP team'];
    await create(
      agent,
      ofKafka.map((text) => acl(text)),
    );
    const about = {
      patternType: 'LITERAL',
      principal: 'User:alice',
      host: '*',
      permission: 'ALLOW',
    } as const;
    const created = await agent.view.port.createAcls([
      { ...about, resourceType: 'SUBJECT', resourceName: 'orders', operation: 'READ' },
      { ...about, resourceType: 'REGISTRY', resourceName: 'schema-registry', operation: 'ALTER_CONFIGS' },
    ]);
    assert.deepEqual(
      created.map(({ error }) => error),
      ['NONE', 'NONE'],
    );
    await until(() => agent.view.records('acl').byKey.size === 4);
    assert.deepEqual(await known(agent), ofKafka);
    const [all] = await remove(agent, [{}]);
    assert.deepEqual(all!.matchingAcls.map(textOf), ofKafka);
    assert.deepEqual(await known(agent), []);
    assert.equal(agent.view.records('acl').byKey.size, 2);
  });

  test('are refused individually', async () => {
    await using agent = await startLeaderAgent();
    const good = 'ALLOW User:alice READ TOPIC orders';
    const rows: [creation: Creation, error: string, message: RegExp][] = [
      [acl(good), 'NONE', /^$/],
      [acl(good, { principal: 'alice' }), 'INVALID_REQUEST', /must be User:<name>/],
      [acl(good, { resourceName: '' }), 'INVALID_REQUEST', /name of a resource/],
      [acl(good, { host: '' }), 'INVALID_REQUEST', /host has/],
      [acl(good, { resourceType: 1 }), 'INVALID_REQUEST', /Unsupported resource type 1; supported: 2 TOPIC/],
      [acl(good, { resourcePatternType: 2 }), 'INVALID_REQUEST', /Unsupported pattern type 2/],
      [acl(good, { operation: 1 }), 'INVALID_REQUEST', /Unsupported operation 1/],
      [acl(good, { operation: 99 }), 'INVALID_REQUEST', /Unsupported operation 99/],
      [acl(good, { permissionType: 0 }), 'INVALID_REQUEST', /Unsupported permission 0/],
      [acl('ALLOW User:a ALTER CLUSTER prod'), 'INVALID_REQUEST', /only name of a CLUSTER/],
      // Unusual for a group, and accepted as in Kafka.
      [acl('ALLOW User:a WRITE GROUP g'), 'NONE', /^$/],
      [acl('ALLOW User:a READ TOPIC later'), 'NONE', /^$/],
    ];
    const results = await create(
      agent,
      rows.map(([creation]) => creation),
    );
    for (const [index, [, error, message]] of rows.entries()) {
      assert.equal(errorName(results[index]!.errorCode), error);
      assert.match(results[index]!.errorMessage ?? '', message);
    }
    assert.deepEqual(
      (await known(agent)).toSorted(),
      [good, 'ALLOW User:a READ TOPIC later', 'ALLOW User:a WRITE GROUP g'].toSorted(),
    );
    const [bad, all] = await remove(agent, [{ operation: 99 }, {}]);
    assert.equal(errorName(bad!.errorCode), 'INVALID_REQUEST');
    assert.equal(all!.matchingAcls.length, 3);
  });

  test('a filter with an unknown enum value is INVALID_REQUEST', async () => {
    await using agent = await startLeaderAgent();
    const answer = answered(await agent.call('DescribeAcls', 3, { ...any, patternTypeFilter: 7 }));
    assert.equal(errorName(answer.errorCode), 'INVALID_REQUEST');
    assert.match(answer.errorMessage!, /Unsupported pattern type 7; supported: 1 ANY, 2 MATCH/);
  });

  test('are created and deleted in several calls if they are too many for one', async () => {
    await using agent = await startLeaderAgent();
    const count = coreLimits.aclsPerCallMax + 500;
    const creations = Array.from({ length: count }, (_, n) =>
      acl('ALLOW User:alice READ TOPIC x', { resourceName: `${n}-${'n'.repeat(600)}` }),
    );
    const results = await create(agent, creations);
    assert.ok(results.every(({ errorCode }) => errorCode === 0));
    assert.equal((await known(agent)).length, count);
    const [all] = await remove(agent, [{}]);
    assert.equal(all!.matchingAcls.length, count);
  });

  test('are limited per request', async () => {
    await using agent = await startLeaderAgent();
    const many = Array.from({ length: brokerLimits.aclsPerRequestMax + 1 }, () =>
      acl('ALLOW User:a READ TOPIC t'),
    );
    const results = await create(agent, many);
    assert.equal(results[brokerLimits.aclsPerRequestMax - 1]!.errorCode, 0);
    assert.match(results[brokerLimits.aclsPerRequestMax]!.errorMessage!, /the limit is 10000/);
  });

  test('created through one agent apply at another as soon as it receives the change', async () => {
    await using agent = await startLeaderAgent({ 'service.acls.enabled': 'true' });
    const other = await agent.another();
    const accessOf = accessOver(other);
    const may = () => accessOf(requestOf('User:alice')).may('READ', 'TOPIC', 'orders');
    assert.equal(may(), false);
    await create(agent, [acl('ALLOW User:alice READ TOPIC orders')]);
    await until(may);
    await remove(agent, [{}]);
    await until(() => !may());
  });
});

function accessOver({ view }: Pick<ServedAgent, 'view'>): (request: ReceivedRequest) => Access {
  return createAccessOf({
    cluster: view,
    agent: { agentId: 'a', hostname: 'a', listenerAddress: () => ':9092', clusterId: view.clusterId },
    logsDenials: true,
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
  });
}

function requestOf(principal: string): ReceivedRequest {
  const owner = { name: principal, aliases: [], credentialName: undefined, isSuperuser: false };
  const session = openSession({
    remoteAddress: '10.0.0.7',
    remotePort: 1,
    user: owner.name,
    principalOf: () => owner,
  });
  return {
    api: apis.Fetch,
    apiVersion: 11,
    correlationId: 1,
    clientId: null,
    body: {},
    requestBytes: 0,
    session,
    closed: new AbortController().signal,
  };
}

test('NOT_CONTROLLER if the control plane is unavailable', async () => {
  const agent = await startTestAgent();
  agent.cluster.unavailable = true;
  const code = codeOf('NOT_CONTROLLER');
  assert.equal(answered(await agent.call('DescribeAcls', 3, any)).errorCode, code);
  assert.deepEqual(
    (await create(agent, [acl('ALLOW User:a READ TOPIC t')])).map(({ errorCode }) => errorCode),
    [code],
  );
  assert.deepEqual(
    (await remove(agent, [{}])).map(({ errorCode }) => errorCode),
    [code],
  );
});

test('ACLs deny requests in enforced mode, and not in shadow mode', async () => {
  let accessOf: (request: ReceivedRequest) => Access = () => assert.fail('access is not set yet');
  await using agent = await startLeaderAgent(
    { 'service.acls.enabled': 'true' },
    { accessOf: (request) => accessOf(request) },
  );
  accessOf = accessOver(agent);
  const topic = { name: 'orders', numPartitions: 1, replicationFactor: 1, assignments: [], configs: [] };
  const made = async () => {
    const body = { topics: [topic], timeoutMs: 1000, validateOnly: false };
    const { topics } = answered(await agent.call('CreateTopics', 7, body));
    return errorName(topics[0]!.errorCode);
  };
  const setMode = async (enforced: boolean, shadow: boolean) => {
    const changes = [
      { name: 'service.acls.enabled', operation: 'set', value: String(enforced) },
      { name: 'service.acl.shadowing.enabled', operation: 'set', value: String(shadow) },
    ] as const;
    const resources = [{ kind: 'cluster', name: '', replacesAll: false, changes }] as const;
    const [result] = await agent.node.alterConfigs(resources, { validateOnly: false });
    return result!;
  };
  assert.equal(await made(), 'TOPIC_AUTHORIZATION_FAILED');
  assert.equal(
    errorName(answered(await agent.call('DescribeAcls', 3, any)).errorCode),
    'CLUSTER_AUTHORIZATION_FAILED',
  );
  assert.equal((await setMode(true, true)).error, 'INVALID_CONFIG');
  assert.equal((await setMode(false, true)).error, 'NONE');
  await until(() => agent.view.clusterConfigs()['service.acl.shadowing.enabled'] === 'true');
  assert.equal(await made(), 'NONE');
});
