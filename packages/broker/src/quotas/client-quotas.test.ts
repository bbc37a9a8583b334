import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '@weir/core/testing';
import type { ErrorName } from '@weir/wire';
import { type LeaderAgent, startLeaderAgent } from '../../testing/leader-agent.ts';
import { answered, startTestAgent } from '../../testing/test-agent-server.ts';
import { codeOf } from '../../testing/test-client.ts';

type Entity = { entityType: string; entityName: string | null }[];

const user = (name: string | null): Entity => [{ entityType: 'user', entityName: name }];

function entry(entity: Entity, quotas: Readonly<Record<string, number | null>>) {
  const ops = Object.entries(quotas).map(([key, value]) => ({
    key,
    value: value ?? 0,
    remove: value === null,
  }));
  return { entity, ops };
}

async function alter(
  agent: Pick<LeaderAgent, 'call'>,
  entries: ReturnType<typeof entry>[],
  validateOnly = false,
  version = 1,
) {
  const answer = answered(await agent.call('AlterClientQuotas', version, { entries, validateOnly }));
  assert.deepEqual(
    answer.entries.map(({ entity }) => entity),
    entries.map(({ entity }) => entity),
  );
  return answer.entries.map(({ errorCode }) => errorCode);
}

type Component = { entityType: string; matchType: number; match: string | null };

async function quotasOf(
  agent: Pick<LeaderAgent, 'call'>,
  components: Component[],
  strict = false,
  version = 1,
) {
  const answer = answered(await agent.call('DescribeClientQuotas', version, { components, strict }));
  assert.equal(answer.errorCode, 0);
  return answer.entries!.map(({ entity, values }) => ({ entity, values }));
}

describe('client quotas over a real leader', () => {
  for (const version of [0, 1]) {
    test(`are set, described and removed, v${version}`, async () => {
      await using agent = await startLeaderAgent();
      const name = `user-${version}`;
      const is = [{ entityType: 'user', matchType: 0, match: name }];
      const quotas = { consumer_byte_rate: 10, request_percentage: 0.5 };
      assert.deepEqual(await alter(agent, [entry(user(name), quotas)], true, version), [0]);
      assert.deepEqual(await quotasOf(agent, is, false, version), []);
      assert.deepEqual(await alter(agent, [entry(user(name), quotas)], false, version), [0]);
      const values = Object.entries(quotas).map(([key, value]) => ({ key, value }));
      assert.deepEqual(await quotasOf(agent, is, true, version), [{ entity: user(name), values }]);
      await until(() => agent.view.records('clientQuota').byKey.size === 1);
      const nothing = { consumer_byte_rate: null, request_percentage: null };
      assert.deepEqual(await alter(agent, [entry(user(name), nothing)], false, version), [0]);
      await until(() => agent.view.records('clientQuota').byKey.size === 0);
    });
  }

  test('are refused each by itself', async () => {
    await using agent = await startLeaderAgent();
    const codes = await alter(agent, [
      entry(user('a'), { producer_byte_rate: Number.NaN }),
      entry(user('b'), { producer_byte_rate: Number.POSITIVE_INFINITY }),
      entry(user('c'), { producer_byte_rate: 1 }),
      entry([], { producer_byte_rate: 1 }),
      entry(user('d'), { producer_byte_rate: -1 }),
    ]);
    const invalid = codeOf('INVALID_REQUEST');
    assert.deepEqual(codes, [invalid, invalid, 0, invalid, invalid]);
    const known = await quotasOf(agent, [{ entityType: 'user', matchType: 2, match: null }]);
    assert.deepEqual(
      known.map(({ entity }) => entity),
      [user('c')],
    );
  });

  const wrong: [label: string, components: Component[], error: ErrorName][] = [
    ['no type', [{ entityType: '', matchType: 2, match: null }], 'INVALID_REQUEST'],
    ['an unknown type', [{ entityType: 'topic', matchType: 2, match: null }], 'UNSUPPORTED_VERSION'],
    ['an unknown match', [{ entityType: 'user', matchType: 3, match: null }], 'INVALID_REQUEST'],
    ['a negative match', [{ entityType: 'user', matchType: -1, match: null }], 'INVALID_REQUEST'],
    ['no name', [{ entityType: 'user', matchType: 0, match: null }], 'INVALID_REQUEST'],
    ['a name with the default match', [{ entityType: 'user', matchType: 1, match: 'a' }], 'INVALID_REQUEST'],
    ['a name with the any match', [{ entityType: 'user', matchType: 2, match: 'a' }], 'INVALID_REQUEST'],
    [
      'a repeated type',
      ['a', 'b'].map((match) => ({ entityType: 'user', matchType: 0, match })),
      'INVALID_REQUEST',
    ],
    [
      'an ip and a user',
      ['ip', 'user'].map((entityType) => ({ entityType, matchType: 2, match: null })),
      'INVALID_REQUEST',
    ],
  ];
  for (const [label, components, error] of wrong) {
    test(`a filter is refused: ${label}`, async () => {
      const agent = await startTestAgent();
      const answer = answered(await agent.call('DescribeClientQuotas', 1, { components, strict: false }));
      assert.deepEqual([answer.errorCode, answer.entries], [codeOf(error), null]);
      assert.ok(answer.errorMessage);
    });
  }
});

test('without a control plane clients get an error upon which they look for the controller', async () => {
  const agent = await startTestAgent();
  agent.cluster.unavailable = true;
  const code = codeOf('NOT_CONTROLLER');
  assert.deepEqual(await alter(agent, [entry(user('a'), { producer_byte_rate: 1 })]), [code]);
  const described = answered(await agent.call('DescribeClientQuotas', 1, { components: [], strict: false }));
  assert.equal(described.errorCode, code);
});
