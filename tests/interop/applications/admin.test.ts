import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { missingTool } from '../apache/tools.ts';
import { lastFirst } from '../brokers/weir-process.ts';
import { openApplications } from './application.ts';
import { Member, pause, untilRead } from './members.ts';
import { startThreeAgents } from './three-agents.ts';

/** Apache's admin client, 4.3.1. The calls of a table run in sequence, each against the next agent. */
const skip = missingTool();
const lifetime = lastFirst({ after });
const agents = skip ? undefined! : await startThreeAgents(lifetime);
const java = skip ? undefined! : openApplications(lifetime);

let callCount = 0;
const ask = <Answer>(call: string, args: Readonly<Record<string, unknown>> = {}) =>
  java.ask<Answer>(call, { servers: agents[callCount++ % agents.length], ...args });

interface Call {
  readonly call: string;
  readonly with?: Readonly<Record<string, unknown>>;
  /** The expected answer, or the relevant part of it. */
  readonly gives?: unknown;
  readonly fails?: RegExp;
}

const topic = (name: string) => ({ type: 'TOPIC', name });
const group = (name: string) => ({ type: 'GROUP', name });

const stories: Readonly<Record<string, readonly Call[]>> = {
  'topics and partitions': [
    { call: 'create-topic', with: { topic: 'orders', partitions: 3 }, gives: {} },
    { call: 'create-topic', with: { topic: 'orders', partitions: 3 }, fails: /TopicExistsException/ },
    { call: 'create-topic', with: { topic: 'no/name', partitions: 3 }, fails: /InvalidTopicException/ },
    { call: 'create-topic', with: { topic: 'none', partitions: 0 }, fails: /InvalidPartitionsException/ },
    {
      call: 'create-topic',
      with: { topic: 'none', partitions: 1, configs: { 'retention.ms': 'soon' } },
      fails: /InvalidConfigurationException: .*retention\.ms/,
    },
    {
      call: 'describe-topic',
      with: { topic: 'orders' },
      gives: { internal: false, partitions: 3, led: true },
    },
    { call: 'create-partitions', with: { topic: 'orders', partitions: 5 } },
    {
      call: 'create-partitions',
      with: { topic: 'orders', partitions: 5 },
      fails: /InvalidPartitionsException/,
    },
    { call: 'describe-topic', with: { topic: 'orders' }, gives: { partitions: 5 } },
    {
      call: 'elect-leaders',
      with: { topic: 'orders', partition: 0 },
      gives: { 'orders-0': 'ElectionNotNeededException' },
    },
    { call: 'list-reassignments', gives: 0 },
    { call: 'delete-topic', with: { topic: 'orders' } },
    { call: 'delete-topic', with: { topic: 'orders' }, fails: /UnknownTopicOrPartitionException/ },
    { call: 'describe-topic', with: { topic: 'orders' }, fails: /UnknownTopicOrPartitionException/ },
  ],
  'configs of topics': [
    {
      call: 'create-topic',
      with: { topic: 'configured', partitions: 1, configs: { 'retention.ms': '3600000' } },
      gives: { 'retention.ms': '3600000' },
    },
    {
      call: 'describe-configs',
      with: topic('configured'),
      gives: {
        'retention.ms': {
          value: '3600000',
          source: 'DYNAMIC_TOPIC_CONFIG',
          type: 'LONG',
          readOnly: false,
          documented: true,
        },
        'segment.bytes': { source: 'DEFAULT_CONFIG', synonyms: ['log.segment.bytes DEFAULT_CONFIG'] },
      },
    },
    {
      call: 'alter-configs',
      with: { ...topic('configured'), changes: [['SET', 'retention.ms', '7200000']] },
    },
    { call: 'describe-configs', with: topic('configured'), gives: { 'retention.ms': { value: '7200000' } } },
    { call: 'alter-configs', with: { ...topic('configured'), changes: [['DELETE', 'retention.ms', null]] } },
    {
      call: 'describe-configs',
      with: topic('configured'),
      gives: { 'retention.ms': { value: '86400000', source: 'DEFAULT_CONFIG' } },
    },
    {
      call: 'alter-configs',
      with: { ...topic('configured'), changes: [['SET', 'retention.ms', 'soon']] },
      fails: /InvalidConfigurationException: .*retention\.ms/,
    },
    {
      call: 'alter-configs',
      with: { ...topic('configured'), changes: [['APPEND', 'retention.ms', '1']] },
      fails: /InvalidConfigurationException/,
    },
    {
      call: 'create-topic',
      with: { topic: 'none', partitions: 1, configs: { 'retention.mss': '5' } },
      fails: /InvalidConfigurationException: .*retention\.mss=5.*did you mean retention\.ms/,
    },
    {
      call: 'alter-configs',
      with: { ...topic('configured'), changes: [['SET', 'retention.mss', '5']] },
      fails: /InvalidConfigurationException: .*did you mean retention\.ms/,
    },
    {
      call: 'alter-configs',
      with: { ...topic('absent'), changes: [['SET', 'retention.ms', '1']] },
      fails: /UnknownTopicOrPartitionException/,
    },
    { call: 'describe-configs', with: topic('absent'), fails: /UnknownTopicOrPartitionException/ },
  ],
  'configs of groups': [
    {
      call: 'alter-configs',
      with: { ...group('tuned'), changes: [['SET', 'consumer.session.timeout.ms', '50000']] },
    },
    {
      call: 'describe-configs',
      with: group('tuned'),
      gives: {
        'consumer.session.timeout.ms': { value: '50000', source: 'DYNAMIC_GROUP_CONFIG', type: 'INT' },
      },
    },
    {
      call: 'alter-configs',
      with: { ...group('tuned'), changes: [['SET', 'consumer.session.timeout', '50000']] },
      fails: /InvalidConfigurationException/,
    },
    { call: 'list-config-resources', with: { type: 'GROUP' }, gives: ['tuned'] },
  ],
  'records and offsets': [
    { call: 'create-topic', with: { topic: 'log', partitions: 1 }, gives: {} },
    { call: 'produce', with: { topic: 'log', partitions: 1, first: 0, count: 50 }, gives: {} },
    { call: 'list-offsets', with: { topic: 'log', partition: 0 }, gives: { earliest: 0, latest: 50 } },
    { call: 'delete-records', with: { topic: 'log', partition: 0, offset: 20 }, gives: 20 },
    {
      call: 'list-offsets',
      with: { topic: 'log', partition: 0 },
      gives: { earliest: 20, earliestLocal: 20, latest: 50 },
    },
    {
      call: 'delete-records',
      with: { topic: 'log', partition: 0, offset: 51 },
      fails: /OffsetOutOfRangeException/,
    },
    { call: 'delete-records', with: { topic: 'log', partition: 0, offset: -1 }, gives: 50 },
  ],
  'client quotas': [
    {
      call: 'alter-quotas',
      with: { entity: { user: 'ann', 'client-id': 'app' }, quotas: { producer_byte_rate: 1_000_000 } },
    },
    { call: 'alter-quotas', with: { entity: { user: null }, quotas: { consumer_byte_rate: 2_000_000 } } },
    {
      call: 'alter-quotas',
      with: { entity: { user: 'ann' }, quotas: { speed: 1 } },
      fails: /InvalidRequestException: speed/,
    },
    {
      call: 'describe-quotas',
      gives: [
        { entity: { user: null }, quotas: { consumer_byte_rate: 2_000_000 } },
        { entity: { user: 'ann', 'client-id': 'app' }, quotas: { producer_byte_rate: 1_000_000 } },
      ],
    },
    { call: 'alter-quotas', with: { entity: { user: null }, quotas: { consumer_byte_rate: null } } },
    {
      call: 'alter-quotas',
      with: { entity: { user: 'ann', 'client-id': 'app' }, quotas: { producer_byte_rate: null } },
    },
    { call: 'describe-quotas', gives: [] },
  ],
  'SCRAM credentials': [
    { call: 'alter-scram', with: { user: 'bob', mechanism: 'SCRAM_SHA_512', password: 'secret' } },
    { call: 'describe-scram', gives: { bob: ['SCRAM_SHA_512 8192'] } },
    {
      call: 'alter-scram',
      with: { user: 'bob', mechanism: 'SCRAM_SHA_256', password: 'secret' },
      fails: /UnsupportedSaslMechanismException/,
    },
    { call: 'alter-scram', with: { user: 'bob', mechanism: 'SCRAM_SHA_512' } },
    {
      call: 'alter-scram',
      with: { user: 'bob', mechanism: 'SCRAM_SHA_512' },
      fails: /ResourceNotFoundException/,
    },
    { call: 'describe-scram', gives: {} },
  ],
  'offsets of groups without members': [
    { call: 'create-topic', with: { topic: 'kept', partitions: 2 }, gives: {} },
    {
      call: 'alter-group-offset',
      with: { group: 'simple', topic: 'kept', partition: 0, offset: 7, metadata: 'by hand' },
    },
    {
      call: 'alter-group-offset',
      with: { group: 'simple', topic: 'kept', partition: 1, offset: 8, metadata: '' },
    },
    {
      call: 'group-offsets',
      with: { group: 'simple' },
      gives: { 'kept-0': [7, 'by hand'], 'kept-1': [8, ''] },
    },
    {
      call: 'describe-consumer-group',
      with: { group: 'simple' },
      gives: { type: 'Classic', state: 'Empty', members: [] },
    },
    { call: 'describe-classic-group', with: { group: 'simple' }, gives: { state: 'Empty', members: 0 } },
    { call: 'delete-group-offset', with: { group: 'simple', topic: 'kept', partition: 0 } },
    { call: 'group-offsets', with: { group: 'simple' }, gives: { 'kept-1': [8, ''] } },
    { call: 'delete-group', with: { group: 'simple' } },
    { call: 'delete-group', with: { group: 'simple' }, fails: /GroupIdNotFoundException/ },
    { call: 'describe-consumer-group', with: { group: 'simple' }, fails: /GroupIdNotFoundException/ },
    { call: 'group-offsets', with: { group: 'simple' }, gives: {} },
  ],
  'producers and transactions': [
    { call: 'create-topic', with: { topic: 'ledger', partitions: 1 }, gives: {} },
    {
      call: 'describe-transaction',
      with: { transactionalId: 'pay' },
      fails: /TransactionalIdNotFoundException/,
    },
    { call: 'begin', with: { transactionalId: 'pay', topic: 'ledger', partition: 0, value: 'a' }, gives: 0 },
    {
      call: 'describe-transaction',
      with: { transactionalId: 'pay' },
      gives: { state: 'Ongoing', timeoutMs: 60_000, isOpen: true, partitions: ['ledger-0'] },
    },
    { call: 'list-transactions', gives: { pay: 'Ongoing' } },
    {
      call: 'describe-producers',
      with: { topic: 'ledger', partition: 0 },
      gives: [{ lastSequence: 0, openFrom: 0 }],
    },
    { call: 'read', with: { topic: 'ledger', isolation: 'read_committed' }, gives: [] },
    { call: 'read', with: { topic: 'ledger', isolation: 'read_uncommitted' }, gives: [[0, 0, '', 'a']] },
    { call: 'commit', with: { transactionalId: 'pay' } },
    {
      call: 'describe-transaction',
      with: { transactionalId: 'pay' },
      gives: { state: 'CompleteCommit', isOpen: false, partitions: [] },
    },
    { call: 'read', with: { topic: 'ledger', isolation: 'read_committed' }, gives: [[0, 0, '', 'a']] },
    // The transaction marker occupies an offset.
    { call: 'begin', with: { transactionalId: 'pay', topic: 'ledger', partition: 0, value: 'b' }, gives: 2 },
    { call: 'abort', with: { transactionalId: 'pay' } },
    { call: 'describe-transaction', with: { transactionalId: 'pay' }, gives: { state: 'CompleteAbort' } },
    {
      call: 'describe-producers',
      with: { topic: 'ledger', partition: 0 },
      gives: [{ lastSequence: 0, openFrom: -1 }],
    },
    { call: 'read', with: { topic: 'ledger', isolation: 'read_committed' }, gives: [[0, 0, '', 'a']] },
    { call: 'begin', with: { transactionalId: 'pay', topic: 'ledger', partition: 0, value: 'c' }, gives: 4 },
    { call: 'fence-producers', with: { transactionalId: 'pay' } },
    { call: 'commit', with: { transactionalId: 'pay' }, fails: /ProducerFenced|InvalidProducerEpoch/ },
    { call: 'read', with: { topic: 'ledger', isolation: 'read_committed' }, gives: [[0, 0, '', 'a']] },
    {
      call: 'read',
      with: { topic: 'ledger', isolation: 'read_uncommitted' },
      gives: [
        [0, 0, '', 'a'],
        [0, 2, '', 'b'],
        [0, 4, '', 'c'],
      ],
    },
  ],
};

describe("Apache's admin client", { concurrency: 2, skip }, () => {
  for (const [name, calls] of Object.entries(stories)) {
    test(name, { timeout: 120_000 }, async () => {
      for (const [at, { call, with: args, gives = {}, fails }] of calls.entries()) {
        const where = `call ${at}, ${call} ${JSON.stringify(args ?? {})}`;
        if (fails !== undefined) {
          await assert.rejects(ask(call, args), fails, where);
          continue;
        }
        // An agent sees changes made at another agent with a delay, so the first answer may be outdated.
        for (let attempt = 0; ; attempt++) {
          const answer = await ask(call, args).catch((error: unknown) => {
            throw new Error(`${where}: ${String(error)}`);
          });
          if (isPartOf(gives, answer)) break;
          assert.ok(isReadOnly.test(call) && attempt < 20, `${where} gives ${JSON.stringify(answer)}`);
          await pause(50);
        }
      }
    });
  }

  test('the cluster', async () => {
    const found = await ask<{
      readonly nodes: readonly string[];
      readonly controllerIsNode: boolean;
      readonly clusterId: string;
      readonly ids: readonly string[];
    }>('describe-cluster');
    assert.deepEqual(found.nodes, agents.toSorted());
    assert.ok(found.controllerIsNode);
    assert.match(found.clusterId, /^vci_/);
    assert.deepEqual(await ask('describe-features'), {
      'group.version': 1,
      'metadata.version': 30,
      'share.version': 1,
      'streams.version': 1,
      'transaction.version': 2,
    });
    const ofBroker = await ask<object>('describe-configs', { type: 'BROKER', name: found.ids[0] });
    assert.ok('auto.create.topics.enable' in ofBroker);
    await ask('create-topic', { topic: 'weighed', partitions: 3 });
    await ask('produce', { topic: 'weighed', partitions: 3, first: 0, count: 30 });
    const bytesOf = await ask<Readonly<Record<string, number>>>('describe-log-dirs');
    assert.ok(bytesOf.weighed! > 0, 'what was written takes up room');
  });

  test('a group with members', async () => {
    await ask('create-topic', { topic: 'watched', partitions: 2 });
    await ask('produce', { topic: 'watched', partitions: 2, first: 0, count: 10 });
    const member = await Member.join(java, 'watched', {
      servers: agents[0],
      group: 'watchers',
      topic: 'watched',
      settings: { 'group.instance.id': 'one', 'client.id': 'watcher' },
    });
    await untilRead([member], 10);
    assert.deepEqual(await ask('describe-consumer-group', { group: 'watchers' }), {
      type: 'Classic',
      state: 'Stable',
      assignor: 'range',
      members: [{ clientId: 'watcher', instance: 'one', partitions: ['watched-0', 'watched-1'] }],
    });
    const listed = await ask<Readonly<Record<string, string>>>('list-groups');
    assert.equal(listed.watchers, 'Classic Stable consumer');
    const offset = { group: 'watchers', topic: 'watched', partition: 0 };
    await assert.rejects(
      ask('alter-group-offset', { ...offset, offset: 0, metadata: '' }),
      /UnknownMemberId/,
    );
    await assert.rejects(ask('delete-group-offset', offset), /GroupSubscribedToTopicException/);
    await assert.rejects(ask('delete-group', { group: 'watchers' }), /GroupNotEmptyException/);
    // A static member does not leave the group when it stops; it has to be removed.
    await member.stop();
    await ask('remove-member', { group: 'watchers', instance: 'one' });
    await ask('delete-group', { group: 'watchers' });
  });
});

/** Read-only calls. */
const isReadOnly = /^(describe|list|read|group-offsets)/;

/** Whether the result contains everything expected; objects may have further properties. */
function isPartOf(expected: unknown, found: unknown): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(found) &&
      found.length === expected.length &&
      expected.every((one, at) => isPartOf(one, found[at]))
    );
  }
  if (expected === null || typeof expected !== 'object') return expected === found;
  if (found === null || typeof found !== 'object') return false;
  const names = Object.keys(expected);
  if (names.length === 0) return Object.keys(found).length === 0;
  return names.every((name) => isPartOf(Reflect.get(expected, name), Reflect.get(found, name)));
}
