import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentDescription } from '@weir/cluster/testing';
import { HandClock } from '@weir/core/testing';
import { LeaderlessPeers } from './leaderless-peers.ts';

/** This agent, one that can be reached at first, and one in a network that cannot be reached. */
const agents = ['self', 'near', 'far'].map((agentId) => agentDescription(agentId));

function stage() {
  const clock = new HandClock();
  const reached = new Set(['near']);
  let isLeaderless = false;
  let looks = 0;
  const peers = new LeaderlessPeers({
    agentId: 'self',
    isLeaderless: () => isLeaderless,
    reaches: async ({ agentId }) => {
      looks++;
      return reached.has(agentId);
    },
    clock,
  });
  const living = () => peers.living(agents).map(({ agentId }) => agentId);
  return {
    clock,
    reached,
    peers,
    living,
    looks: () => looks,
    lose() {
      isLeaderless = true;
    },
    find() {
      isLeaderless = false;
    },
  };
}

test('without a leader, agents are left out that cannot be reached any more, until they are back', async () => {
  const { clock, reached, peers, living, lose, find } = stage();
  assert.equal(peers.living(agents), agents);
  await clock.pass(10_000);
  lose();
  await clock.pass(10_000);
  assert.equal(peers.living(agents), agents, 'the same object');
  reached.delete('near');
  await clock.pass(10_000);
  assert.deepEqual(living(), ['self', 'far']);
  reached.add('near');
  await clock.pass(10_000);
  assert.deepEqual(living(), ['self', 'near', 'far']);
  reached.delete('near');
  await clock.pass(10_000);
  find();
  assert.equal(peers.living(agents), agents, 'the leader knows');
});

test('with a leader, agents are rarely looked for, and never after the end', async () => {
  const { clock, peers, living, looks } = stage();
  living();
  await clock.pass(600_000);
  assert.ok(looks() > 0 && looks() <= 22, `${looks()} in ten minutes`);
  const before = looks();
  peers.stop();
  await clock.pass(600_000);
  assert.equal(looks(), before);
});
