import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, test } from 'node:test';
import { HandClock, pause } from '@weir/core/testing';
import { startAgentUnderTest } from '../testing/running-agent.ts';
import type { AgentOptions } from './agent-options.ts';

const listeners = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

const other = createServer().listen(0, '127.0.0.1');
await once(other, 'listening');
after(() => other.close());
const { port } = other.address() as AddressInfo;
const before = listeners();

const takenPorts: Readonly<Record<string, Partial<AgentOptions>>> = {
  'Kafka port': { kafkaPort: port },
  'HTTP port': { httpPort: port },
  'registry port': { registry: { port, requiresLogin: false, logsRequests: false } },
};

for (const [name, differences] of Object.entries(takenPorts)) {
  test(`an agent whose ${name} is taken leaves no listener behind`, async (t) => {
    const clock = new HandClock();
    let isEnded = false;
    const start = startAgentUnderTest(t, { clock, ...differences }).finally(() => {
      isEnded = true;
    });
    const refused = assert.rejects(start, { code: 'EADDRINUSE', port });
    while (!isEnded) {
      clock.advance(100);
      await pause(0);
    }
    await refused;
    // A closed listener is gone some turns later.
    for (let turn = 0; turn < 100 && listeners() > before; turn++) await pause(1);
    assert.equal(listeners(), before);
  });
}
