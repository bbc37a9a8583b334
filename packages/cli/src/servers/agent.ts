import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { advertisedHost, startAgent } from '@weir/agent';
import { jsonLog, Metrics, release, systemRandom } from '@weir/core';
import { connectCluster } from '@weir/metadata';
import { openStore } from '@weir/storage';
import type { Handler } from '../commands/handler.ts';
import { resolveRoles } from '../rules/roles.ts';
import { bucketUrl as bucketType } from '../values/bucket-url.ts';
import { agentSettings } from './agent-settings.ts';
import { explainingPorts } from './taken-port.ts';
import { untilStopped } from './until-stopped.ts';

/** The zone of an agent that was not told one. */
const unsetZone = 'SERVICE_UNSET_AZ';

/** One agent. It holds no state, so that it may be killed at any moment; stopped, it leaves nobody without an answer. */
export const agent: Handler<'agent'> = async (values, { clock, environment, output, stop }) => {
  const log = jsonLog({
    level: values.logLevel,
    nowMs: clock.nowMs,
    write: (line) => output.err(`${line}\n`),
  });
  const roles = resolveRoles(values);
  if ('problem' in roles) throw new Error(roles.problem.rule);
  const host = clientsReach(values.discoveryKafkaHostnameOverride, values.advertiseHostnameStrategy);
  if ('problem' in host) {
    output.err(`weir agent: ${host.problem}\n`);
    return 1;
  }
  const agentId = randomUUID();
  const metrics = new Metrics({ agent_version: release });
  const bucketUrl = bucketType().print(values.bucketURL!);
  const { kafkaPort, httpPort } = values;
  const resources = new AsyncDisposableStack();
  const start = async () => {
    const store = await openStore(bucketUrl, { clock, random: systemRandom, environment, log, metrics });
    resources.defer(() => store.close());
    const cluster = connectCluster({
      urls: [values.metadataURL!],
      clusterId: values.defaultVirtualClusterID!,
      agentKey: keyReader(values.agentKey, values.agentKeyPath),
      clock,
      random: systemRandom,
      log,
      metrics,
    });
    resources.defer(() => cluster.close());
    const running = await startAgent({
      ...agentSettings(values, bucketUrl),
      clusterId: values.defaultVirtualClusterID!,
      agentId,
      group: values.agentGroup,
      zone: values.availabilityZone ?? unsetZone,
      roles: roles.value,
      host: '0.0.0.0',
      kafkaPort,
      httpPort,
      advertisedHost: host.host,
      servesMetrics: values.enablePrometheusMetrics,
      cluster,
      store,
      clock,
      random: systemRandom,
      log: log.with({ agentId }),
      metrics,
    });
    resources.defer(() => running.stop({ deadlineMs: values.gracefulShutdownDuration }));
    return running;
  };
  try {
    // An agent that cannot reach its control plane waits for it, and must be stoppable meanwhile.
    const running = await Promise.race([explainingPorts({ kafkaPort, httpPort }, start), untilStopped(stop)]);
    if (running === undefined) return 0;
    output.out(
      [
        `weir ${release} agent ${agentId} is ready`,
        `  Kafka  ${host.host}:${running.kafkaPort}`,
        `  HTTP   http://${host.host}:${running.httpPort}`,
        '',
      ].join('\n'),
    );
    await untilStopped(stop);
  } finally {
    await resources.disposeAsync();
  }
  return 0;
};

function clientsReach(override: string | undefined, strategy: Parameters<typeof advertisedHost>[0]) {
  if (override !== undefined) return { host: override };
  const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  return advertisedHost(strategy, { hostname: hostname(), addresses });
}

/** A key in a file is read at every use, so that it can be replaced while the agent runs. */
function keyReader(key: string | undefined, path: string | undefined): () => string {
  if (key !== undefined) return () => key;
  return () => readFileSync(path!, 'utf8').trim();
}
