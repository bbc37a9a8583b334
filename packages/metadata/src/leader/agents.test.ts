import assert from 'node:assert/strict';
import { test } from 'node:test';
import { caps, silentLog } from '@weir/core';
import { HandClock } from '@weir/core/testing';
import type { AgentReport } from '../cluster/agent-report.ts';
import { type AgentDescription, agentSilenceMsMax } from '../cluster/port.ts';
import { Agents, lostAgentMsMax } from './agents.ts';

function agent(agentId: string): AgentDescription {
  return {
    agentId,
    nodeId: 1,
    host: `${agentId}.test`,
    kafkaPort: 9092,
    internalUrl: `http://${agentId}.test`,
    zone: 'a',
    group: '',
    roles: ['proxy'],
    release: 'v830',
    cpuCount: 1,
    cpuLoad: 0,
  };
}

const report: AgentReport = { startedMs: 1, number: 1, sinceNumber: 0, spanMs: 0, nowMs: 1 };

function stage() {
  const clock = new HandClock();
  let changes = 0;
  const agents = new Agents({ clock, log: silentLog }, () => changes++);
  const lost = () => agents.heard().lost.map(({ agentId }) => agentId);
  const silence = async (ms = agentSilenceMsMax) => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 1000) {
      await clock.pass(Math.min(leftMs, 1000));
      agents.sweep();
    }
  };
  return { clock, agents, lost, silence, changes: () => changes };
}

test('who falls silent is lost, until it comes back, leaves, or an hour is over', async () => {
  const { clock, agents, lost, silence } = stage();
  for (const id of ['back', 'gone', 'left', 'stays']) agents.heartbeat(agent(id));
  const seenMs = clock.nowMs();
  agents.leave('left');
  await silence();
  assert.deepEqual(lost(), ['back', 'gone', 'stays']);
  assert.deepEqual(agents.list(), []);
  assert.equal(agents.heard().lost[0]!.lastSeenMs, seenMs);
  agents.heartbeat(agent('back'));
  agents.leave('gone');
  assert.deepEqual(lost(), ['stays']);
  await clock.pass(lostAgentMsMax);
  assert.deepEqual(lost(), []);
});

test('a leader that stood still first hears what was said meanwhile', async () => {
  const { clock, agents, lost, silence } = stage();
  for (const id of ['speaks', 'silent']) agents.heartbeat(agent(id));
  await clock.pass(60_000);
  agents.sweep();
  assert.deepEqual(lost(), []);
  agents.heartbeat(agent('speaks'));
  await silence(1000);
  assert.deepEqual(lost(), ['silent']);
});

test('who was not heard since the leader changed is not missed', async () => {
  const before = stage();
  before.agents.heartbeat(agent('a'));
  before.agents.heartbeat(agent('b'));
  const { agents, lost, silence } = stage();
  agents.takeOver(before.agents.note());
  agents.heartbeat(agent('b'));
  await silence();
  assert.deepEqual(lost(), ['b']);
});

test('of many that are lost the last are told', async () => {
  const { agents, lost, silence } = stage();
  for (let index = 0; index < caps.lostAgentsMax + 2; index++) agents.heartbeat(agent(`a${index}`));
  await silence();
  assert.equal(lost().length, caps.lostAgentsMax);
  assert.equal(lost()[0], 'a2');
});

test('a report is for the leader alone: no list changes by it, and the next leader is not told', () => {
  const { agents, changes } = stage();
  const listed = agents.heartbeat({ ...agent('a'), report });
  assert.deepEqual(listed, [agent('a')]);
  const before = changes();
  assert.equal(agents.heartbeat({ ...agent('a'), report: { ...report, number: 2 } }), listed);
  agents.heartbeat(agent('a'));
  assert.equal(changes(), before);
  assert.deepEqual(JSON.parse(String(agents.note())), [agent('a')]);
  assert.equal(agents.heard().reports.get('a')?.at(-1)?.report.number, 2);
});

test('an agent lives, whatever its report is', () => {
  const { agents } = stage();
  assert.deepEqual(agents.heartbeat({ ...agent('a'), report: 'nonsense' as never }), [agent('a')]);
  assert.equal(agents.heard().reports.size, 0);
});

test('with an agent its reports go', async () => {
  const { agents, silence } = stage();
  agents.heartbeat({ ...agent('left'), report });
  agents.heartbeat({ ...agent('silent'), report });
  agents.leave('left');
  await silence();
  assert.equal(agents.heard().reports.size, 0);
});
