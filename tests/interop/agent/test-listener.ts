import type { TestContext } from 'node:test';
import { Metrics, silentLog, systemClock, systemEnvironment } from '@weir/core';
import type { TestCluster } from '@weir/metadata/testing';
import { defaultListenerLimits } from '../../../packages/broker/src/net/limits.ts';
import type { RequestServer } from '../../../packages/broker/src/requests/request-server.ts';
import { startKafkaListener } from '../../../packages/broker/src/serving/kafka-listener.ts';
import { testAgent } from '../../../packages/broker/testing/agent.ts';
import { startTestAgent } from '../../../packages/broker/testing/test-agent-server.ts';

/** Starts an agent on a free port, over a cluster in memory. Third-party clients can connect to it as to any broker. */
export async function listeningAgent(t: TestContext): Promise<{ broker: string; cluster: TestCluster }> {
  // The port appears in Metadata, so it must be known before the agent is created.
  let server: RequestServer | undefined;
  const listener = await startKafkaListener({
    host: '127.0.0.1',
    port: 0,
    handle: {
      serves: (api, apiVersion) => server!.serves(api, apiVersion),
      refuseApiVersions: () => server!.refuseApiVersions(),
      serve: (request) => server!.serve(request),
    },
    limits: defaultListenerLimits(1),
    servingThreads: Number(systemEnvironment.SERVICE_SERVING_THREADS ?? 1),
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
  });
  t.after(() => listener.stop({ deadlineMs: 1000 }));
  const self = testAgent('agent-1', { host: '127.0.0.1', kafkaPort: listener.port });
  const agent = await startTestAgent({ self, agents: [self] });
  server = agent.server;
  return { broker: `127.0.0.1:${listener.port}`, cluster: agent.cluster };
}
