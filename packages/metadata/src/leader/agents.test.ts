import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type AgentReport,
  agentSilenceMsMax,
  heartbeatIntervalMs,
  loadIntervalMs,
  overloadIntervalMs,
} from '@weir/cluster';
import { agentDescription } from '@weir/cluster/testing';
import { silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import type { NodeIdRequest } from '@weir/machine';
import { metadataLimits } from '../limits.ts';
import { Agents, lostAgentMsMax } from './agents.ts';

const report: AgentReport = { startedMs: 1, number: 1, sinceNumber: 0, spanMs: 0, nowMs: 1 };

function stage() {
  const clock = new HandClock();
  let changes = 0;
  const loads: string[] = [];
  const ids = new Map<number, string>();
  /** The machine has its own test; here an agent gets the next id, or takes over the one at its address. */
  const nodeIds = {
    has: (agentId: string, nodeId: number) => ids.get(nodeId) === agentId,
    assign: async ({ agentId, address, present }: NodeIdRequest) => {
      const taken = [...ids].find(
        ([, holder]) => address === `${holder}.test:9092` && !present.includes(holder),
      );
      const nodeId = taken?.[0] ?? ids.size + 1;
      ids.set(nodeId, agentId);
      return nodeId;
    },
  };
  const agents = new Agents({ clock, log: silentLog, nodeIds }, (change) => {
    changes++;
    if (change === 'loads')
      loads.push(
        agents
          .list()
          .map(({ cpuLoad }) => cpuLoad)
          .join(),
      );
  });
  const lost = () => agents.received().lost.map(({ agentId }) => agentId);
  const silence = async (ms = agentSilenceMsMax) => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 1000) {
      await clock.pass(Math.min(leftMs, 1000));
      agents.sweep();
    }
  };
  const named = () => agents.list().map(({ agentId }) => agentId);
  /** Sends a heartbeat over a connection, and returns the connection. */
  const connect = async (agentId: string, connection: object = {}) => {
    await agents.heartbeat(agentDescription(agentId));
    agents.connected(agentId, connection);
    return connection;
  };
  return { clock, agents, loads, lost, silence, named, connect, changes: () => changes };
}

test('a silent agent is lost, until it returns, leaves, or an hour has passed', async () => {
  const { clock, agents, lost, silence } = stage();
  for (const id of ['back', 'gone', 'left', 'stays']) await agents.heartbeat(agentDescription(id));
  const seenMs = clock.nowMs();
  agents.leave('left');
  await silence();
  assert.deepEqual(lost(), ['back', 'gone', 'stays']);
  assert.deepEqual(agents.list(), []);
  assert.equal(agents.received().lost[0]!.lastSeenMs, seenMs);
  await agents.heartbeat(agentDescription('back'));
  agents.leave('gone');
  assert.deepEqual(lost(), ['stays']);
  await clock.pass(lostAgentMsMax);
  assert.deepEqual(lost(), []);
});

test('a leader that was paused first processes the heartbeats that arrived meanwhile', async () => {
  const { clock, agents, lost, silence } = stage();
  for (const id of ['speaks', 'silent']) agents.heartbeat(agentDescription(id));
  await clock.pass(60_000);
  agents.sweep();
  assert.deepEqual(lost(), []);
  agents.heartbeat(agentDescription('speaks'));
  await silence(1000);
  assert.deepEqual(lost(), ['silent']);
});

test('an agent without a heartbeat since the failover does not count as lost', async () => {
  const before = stage();
  await before.agents.heartbeat(agentDescription('a'));
  await before.agents.heartbeat(agentDescription('b'));
  const { agents, lost, silence } = stage();
  agents.takeOver(before.agents.note());
  await agents.heartbeat(agentDescription('b'));
  await silence();
  assert.deepEqual(lost(), ['b']);
});

test('only the most recently lost agents are listed', async () => {
  const { agents, lost, silence } = stage();
  for (let index = 0; index < metadataLimits.lostAgentsMax + 2; index++)
    await agents.heartbeat(agentDescription(`a${index}`));
  await silence();
  assert.equal(lost().length, metadataLimits.lostAgentsMax);
  assert.equal(lost()[0], 'a2');
});

test('a report stays with the leader: it changes no list and is not passed to the next leader', async () => {
  const { agents, changes } = stage();
  await agents.heartbeat({ ...agentDescription('a'), report });
  const listed = agents.list();
  assert.deepEqual(listed, [agentDescription('a')]);
  const before = changes();
  await agents.heartbeat({ ...agentDescription('a'), report: { ...report, number: 2 } });
  assert.equal(agents.list(), listed);
  await agents.heartbeat(agentDescription('a'));
  assert.equal(changes(), before);
  assert.deepEqual(JSON.parse(String(agents.note())), [agentDescription('a')]);
  assert.equal(agents.received().reports.get('a')?.at(-1)?.report.number, 2);
});

test('a heartbeat with an invalid report still counts', async () => {
  const { agents } = stage();
  await agents.heartbeat({ ...agentDescription('a'), report: 'nonsense' as never });
  assert.deepEqual(agents.list(), [agentDescription('a')]);
  assert.equal(agents.received().reports.size, 0);
});

test('the reports of an agent are dropped with it', async () => {
  const { agents, silence } = stage();
  await agents.heartbeat({ ...agentDescription('left'), report });
  await agents.heartbeat({ ...agentDescription('silent'), report });
  agents.leave('left');
  await silence();
  assert.equal(agents.received().reports.size, 0);
});

test('an agent whose connection broke leaves Metadata within a tenth of a second, and returns with its next heartbeat', async () => {
  const { clock, agents, named, connect, lost, changes } = stage();
  await connect('a');
  const connection = await connect('b');
  await agents.heartbeat({ ...agentDescription('b'), report });
  agents.disconnected('b', connection, true);
  await clock.pass(100);
  assert.deepEqual(named(), ['a']);
  assert.deepEqual(lost(), [], 'the agent may return in a moment');
  assert.ok(agents.received().reports.has('b'), 'its reports are retained for its return');
  const before = changes();
  await connect('b');
  assert.deepEqual(named(), ['a', 'b']);
  assert.equal(changes(), before + 1);
  await clock.pass(1_000);
  assert.deepEqual(named(), ['a', 'b']);
});

test('an agent that does not return is lost after the silence timeout', async () => {
  const { agents, named, connect, lost, silence } = stage();
  const connection = await connect('b');
  await connect('a');
  agents.disconnected('b', connection, true);
  await silence(1_000);
  assert.deepEqual([named(), lost()], [['a'], []]);
  await connect('a');
  await silence(agentSilenceMsMax - 1_000);
  assert.deepEqual([named(), lost()], [['a'], ['b']]);
});

test('an agent that closed its connection cleanly has a second to open another', async () => {
  const { clock, agents, named, connect } = stage();
  await connect('a');
  const connection = await connect('b');
  agents.disconnected('b', connection, false);
  await clock.pass(900);
  assert.deepEqual(named(), ['a', 'b']);
  await clock.pass(100);
  assert.deepEqual(named(), ['a']);
});

test('the end of a replaced connection has no effect', async () => {
  const { clock, agents, named, connect } = stage();
  await connect('a');
  const first = await connect('b');
  await connect('b');
  agents.disconnected('b', first, true);
  await clock.pass(5_000);
  assert.deepEqual(named(), ['a', 'b']);
});

test('a leader that lost all connections lists all agents, and drops absent ones a second after the first is back', async () => {
  const { clock, agents, named, connect } = stage();
  const connections = [await connect('a'), await connect('b'), await connect('c')];
  for (const [index, agentId] of ['a', 'b', 'c'].entries())
    agents.disconnected(agentId, connections[index]!, true);
  await clock.pass(4_000);
  assert.deepEqual(named(), ['a', 'b', 'c']);
  await connect('b');
  await clock.pass(500);
  await connect('a');
  assert.deepEqual(named(), ['a', 'b', 'c']);
  await clock.pass(500);
  assert.deepEqual(named(), ['a', 'b']);
});

test('agents of the previous leader are listed while they search for the new one', async () => {
  const before = stage();
  for (const agentId of ['a', 'b', 'c']) await before.connect(agentId);
  const { clock, agents, named, connect } = stage();
  agents.takeOver(before.agents.note());
  await clock.pass(5_000);
  assert.deepEqual(named(), ['a', 'b', 'c'], 'none has found it');
  const connection = await connect('a');
  await clock.pass(450);
  await connect('b');
  assert.deepEqual(named(), ['a', 'b', 'c']);
  await clock.pass(100);
  assert.deepEqual(named(), ['a', 'b'], 'one that does not follow the others died with the leader');
  await connect('c');
  assert.deepEqual(named(), ['a', 'b', 'c']);
  agents.disconnected('a', connection, true);
  await clock.pass(100);
  assert.deepEqual(named(), ['b', 'c']);
});

test('many agents of the previous leader have more time to connect', async () => {
  const before = stage();
  const ids = Array.from({ length: 2_000 }, (_, index) => `a${index}`);
  for (const agentId of ids) await before.agents.heartbeat(agentDescription(agentId));
  const { clock, agents, named, connect } = stage();
  agents.takeOver(before.agents.note());
  await connect('a0');
  await clock.pass(2_400);
  assert.equal(named().length, 2_000);
  await clock.pass(200);
  assert.deepEqual(named(), ['a0']);
});

test('agents of the previous leader that speak without a connection stay', async () => {
  const before = stage();
  for (const agentId of ['inside', 'b']) await before.agents.heartbeat(agentDescription(agentId));
  const { clock, agents, named, connect } = stage();
  agents.takeOver(before.agents.note());
  await agents.heartbeat(agentDescription('inside'));
  await connect('b');
  await clock.pass(2_000);
  assert.deepEqual(named(), ['b', 'inside']);
});

test('a killed and restarted agent gets its node id at once, and the dead one is not listed', async () => {
  const { agents, connect } = stage();
  await connect('a');
  const connection = await connect('b');
  agents.disconnected('b', connection, true);
  const answer = await agents.heartbeat({ ...agentDescription('b-again'), host: 'b.test' });
  assert.deepEqual(answer, [{ agentId: 'b-again', nodeId: 2 }]);
  assert.deepEqual(
    agents.list().map(({ agentId, nodeId }) => `${agentId} ${nodeId}`),
    ['a 1', 'b-again 2'],
  );
});

test('agents in this process have no connection to lose', async () => {
  const { clock, agents, named, connect } = stage();
  await agents.heartbeat(agentDescription('inside'));
  const connection = await connect('outside');
  agents.disconnected('outside', connection, true);
  await clock.pass(5_000);
  assert.deepEqual(named(), ['inside', 'outside'], 'no agent has a connection');
});

test('loads are published when one crosses a threshold, and for smaller changes at a longer interval', async () => {
  const { clock, agents, loads } = stage();
  /** Sends heartbeats for a time, and returns what was published. */
  const beat = async (ms: number, ...cpuLoads: number[]) => {
    for (let leftMs = ms; leftMs > 0; leftMs -= heartbeatIntervalMs) {
      for (const [index, cpuLoad] of cpuLoads.entries())
        await agents.heartbeat({ ...agentDescription('ab'[index]!), cpuLoad });
      await clock.pass(heartbeatIntervalMs);
      agents.sweep();
    }
    return loads.splice(0);
  };
  await beat(loadIntervalMs, 0, 0);
  assert.deepEqual(await beat(heartbeatIntervalMs, 0.04, 0), [], 'too small');
  assert.deepEqual(await beat(heartbeatIntervalMs, 0.3, 0), ['0.3,0'], 'the first in a long time');
  const rows: readonly [a: number, b: number, published: string[]][] = [
    [0.5, 0, []],
    [0.5, 0.89, ['0.5,0.89']],
    [0.5, 0.9, ['0.5,0.9']],
    [0.5, 0.88, ['0.5,0.88']],
    [0.5, 0.69, ['0.5,0.69']],
    [0.45, 0.66, []],
  ];
  for (const [a, b, published] of rows)
    assert.deepEqual(await beat(overloadIntervalMs, a, b), published, `${a} ${b}`);
  assert.deepEqual(await beat(loadIntervalMs - overloadIntervalMs, 0.4, 0.66), ['0.4,0.66']);
  assert.deepEqual(await beat(5 * loadIntervalMs, 0.36, 0.66), []);
  assert.deepEqual(await beat(5 * loadIntervalMs, 0.36, 0.7), ['0.36,0.7']);
});
