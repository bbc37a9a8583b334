import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSession } from '@weir/security';
import { type Api, apis, decodeRequestBody, decodeRequestHeader, encodeRequest } from '@weir/wire';
import { testAgent } from '../../testing/agent.ts';
import { answered, startTestAgent, type TestAgent } from '../../testing/test-agent-server.ts';
import { zonesByAddress } from './address-zones.ts';

const agents = [testAgent('in-a', { zone: 'a' }), testAgent('in-b', { zone: 'b' })];
const self = agents[0]!;
/** The test client is at 10.0.0.7. */
const inZoneB = zonesByAddress([{ zone: 'b', cidrs: ['10.0.0.0/24'] }]);

test('the zone of a client comes from its client id, else from its address, else it is unknown', async () => {
  const cases: [clientId: string, byAddress: boolean, seen: string[]][] = [
    ['app', false, ['in-a', 'in-b']],
    ['app', true, ['in-b']],
    ['app,ws_az=a', true, ['in-a']],
    // A zone without agents counts as none, and still overrides the address.
    ['app,ws_az=z', true, ['in-a', 'in-b']],
    ['app,ws_az=!', true, ['in-b']],
  ];
  for (const [clientId, byAddress, seen] of cases) {
    const { call } = await startTestAgent({ self, agents, ...(byAddress ? { zoneOfAddress: inZoneB } : {}) });
    const { brokers } = answered(await call('Metadata', 9, { topics: [] }, clientId));
    assert.deepEqual(
      brokers.map(({ host }) => host.replace('.test', '')),
      seen,
      `${clientId} ${byAddress}`,
    );
    for (const { rack } of brokers) assert.equal(rack, 'service-fake-rack');
  }
});

/** Serves one Fetch request on a connection and returns whether connection closed. */
function isClosed({ server }: TestAgent, clientId: string, connection: AbortSignal): boolean {
  const api: Api = apis.Fetch;
  const body = { maxWaitMs: 0, minBytes: 0, topics: [] };
  const frame = Buffer.concat(encodeRequest(apis.Fetch, 11, { correlationId: 1, clientId }, body)).subarray(
    4,
  );
  const { bodyStart } = decodeRequestHeader(frame);
  const result = server.serve({
    api,
    apiVersion: 11,
    correlationId: 1,
    clientId,
    body: decodeRequestBody(api, 11, frame, bodyStart).body,
    requestBytes: frame.length,
    session: openSession({ remoteAddress: '10.0.0.7', remotePort: 40_000 }),
    closed: connection,
  });
  return result === 'close';
}

test('a connection that crosses zones is closed after a minute, if its client asked for that', async () => {
  const asking = 'app,service_interzone_lb=true';
  const cases: [label: string, clientId: string, liveAgents: typeof agents, closed: boolean][] = [
    ['it asks, and its zone has an agent', `${asking},ws_az=b`, agents, true],
    ['by its address', asking, agents, true],
    ['it does not ask', 'app,ws_az=b', agents, false],
    ['it is in its own zone', `${asking},ws_az=a`, agents, false],
    ['no agent in the zone of the client', `${asking},ws_az=b`, [self], false],
  ];
  for (const [label, clientId, liveAgents, closed] of cases) {
    const agent = await startTestAgent({
      self,
      agents: liveAgents,
      zoneOfAddress: inZoneB,
      fetch: () => 'noReply',
    });
    const connection = new AbortController().signal;
    assert.equal(isClosed(agent, clientId, connection), false, `${label}: not at once`);
    agent.clock.advance(59_999);
    assert.equal(isClosed(agent, clientId, connection), false, `${label}: not within the minute`);
    agent.clock.advance(1);
    assert.equal(isClosed(agent, clientId, connection), closed, label);
    assert.equal(
      isClosed(agent, clientId, new AbortController().signal),
      false,
      `${label}: a new connection`,
    );
  }
});

test('Metadata is answered to a client in the wrong zone for any length of time', async () => {
  const agent = await startTestAgent({ self, agents });
  const clientId = 'app,service_interzone_lb=true,ws_az=b';
  for (let minute = 0; minute < 3; minute++) {
    const { brokers } = answered(await agent.call('Metadata', 9, { topics: [] }, clientId));
    assert.equal(brokers.length, 1);
    agent.clock.advance(60_000);
  }
});
