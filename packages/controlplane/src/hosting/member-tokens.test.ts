import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HandClock } from '@weir/core/testing';
import { signAgentToken } from '../workload-identity/agent-tokens.ts';
import { authorizeMembers, memberToken } from './member-tokens.ts';

const secret = [Buffer.alloc(32, 1)] as const;
const secretsOf = (clusterId: string) => (clusterId === 'vci_a' ? secret : undefined);

test('a process gets temporary access to the clusters whose journal it has read', async () => {
  const clock = new HandClock();
  const authorize = authorizeMembers(secretsOf, clock);
  const token = memberToken('vci_a', secretsOf, clock)!;
  const endMs = clock.nowMs() + 60_000;
  const cases: [what: string, clusterId: string, key: string, verdict: boolean | undefined][] = [
    ['its own', 'vci_a', token, true],
    ['a cluster that this process has not read', 'vci_b', token, undefined],
    ['a key that is no token', 'vci_a', `aks_${'0'.repeat(64)}`, false],
    [
      'a token of another cluster',
      'vci_a',
      signAgentToken({ clusterId: 'vci_c', bindingMark: 'member', endMs }, secret),
      false,
    ],
    [
      'a token of a binding',
      'vci_a',
      signAgentToken({ clusterId: 'vci_a', bindingMark: 'x', endMs }, secret),
      false,
    ],
    [
      'a token that lives longer than members make them',
      'vci_a',
      signAgentToken({ clusterId: 'vci_a', bindingMark: 'member', endMs: endMs + 3_600_000 }, secret),
      false,
    ],
    [
      'a token with another signature',
      'vci_a',
      signAgentToken({ clusterId: 'vci_a', bindingMark: 'member', endMs }, [Buffer.alloc(32, 2)]),
      false,
    ],
  ];
  for (const [what, clusterId, key, verdict] of cases)
    assert.equal(await authorize(clusterId, key), verdict, what);
  clock.advance(60_000);
  assert.equal(await authorize('vci_a', token), false, 'it has expired');
  assert.equal(memberToken('vci_b', secretsOf, clock), undefined);
});
