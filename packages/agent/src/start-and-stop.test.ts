import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import type { AgentDescription, ClusterPort } from '@weir/cluster';
import { pause } from '@weir/core/testing';
import { TestCluster } from '@weir/metadata/testing';
import { startAgentUnderTest } from '../testing/running-agent.ts';
import { startRegistry } from '../testing/start-registry.ts';

const registry = { port: 0, requiresLogin: false, logsRequests: false };
const listeners = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

/** A closed listener is gone some turns later. */
async function untilListeners(count: number): Promise<void> {
  for (let turn = 0; turn < 100 && listeners() > count; turn++) await pause(1);
  assert.equal(listeners(), count);
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'close').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return outcome;
}

/** A cluster whose calls a test may answer in its place. */
function clusterWith(calls: Partial<ClusterPort>): TestCluster {
  const cluster = new TestCluster();
  return new Proxy(cluster, {
    get(target, name) {
      const own = calls[name as keyof ClusterPort];
      const value: unknown = own ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

test('an agent is not ready and leaves its cluster before it closes its listeners', async (t) => {
  const seen: unknown[] = [];
  let ports: readonly number[] = [];
  const probe = async () => (await fetch(`http://127.0.0.1:${ports[1]}/v1/ready`)).text();
  const cluster = clusterWith({
    async leave() {
      seen.push(await probe(), await Promise.all(ports.map(accepts)));
    },
  });
  const { agent, clock } = await startAgentUnderTest(t, { cluster, registry });
  ports = [agent.kafkaPort, agent.httpPort, agent.registryPort!];
  assert.equal(await probe(), 'OK');
  let isStopped = false;
  const stopped = agent.stop({ deadlineMs: 60_000 }).then(() => {
    isStopped = true;
  });
  while (!isStopped) {
    if (seen.length > 0) clock.advance(100);
    await pause(0);
  }
  await stopped;
  assert.deepEqual(seen, ['not ready: stopping', [true, true, true]]);
  assert.deepEqual(await Promise.all(ports.map(accepts)), [false, false, false]);
});

test('an agent whose first heartbeat is refused was listening, leaves, and leaves no listener behind', async (t) => {
  const before = listeners();
  const seen: unknown[] = [];
  const cluster = clusterWith({
    async heartbeat({ kafkaPort, registryPort, internalUrl }: AgentDescription) {
      const ports = [kafkaPort, registryPort!, Number(new URL(internalUrl).port)];
      seen.push('heartbeat', await Promise.all(ports.map(accepts)));
      throw new Error('refused');
    },
    async leave() {
      seen.push('leave');
    },
  });
  await assert.rejects(startAgentUnderTest(t, { cluster, registry }), { message: 'refused' });
  assert.deepEqual(seen, ['heartbeat', [true, true, true], 'leave']);
  await untilListeners(before);
});

test('an agent of a schema registry whose port is taken leaves no listener behind', async (t) => {
  const { agent } = await startRegistry(t);
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const before = listeners();
  await assert.rejects(agent('agent-1', { port }), { code: 'EADDRINUSE', port });
  await untilListeners(before);
});

test('an agent of a schema registry leaves its cluster while it still answers', async (t) => {
  const { agent: start, node } = await startRegistry(t);
  const { agent, ask } = await start('agent-1');
  assert.equal((await node.listAgents()).length, 1);
  const seen: unknown[] = [];
  const leave = node.leave.bind(node);
  t.mock.method(node, 'leave', async (agentId: string) => {
    seen.push((await ask('GET /subjects')).status);
    await leave(agentId);
  });
  await agent.stop({ deadlineMs: 10_000 });
  assert.deepEqual(seen, [200]);
  assert.equal((await node.listAgents()).length, 0);
  assert.deepEqual(await Promise.all([agent.registryPort, agent.httpPort].map(accepts)), [false, false]);
});
