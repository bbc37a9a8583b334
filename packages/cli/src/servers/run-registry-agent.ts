import { hostname } from 'node:os';
import { AgentStats, startMetricsPush, startRegistryAgent } from '@weir/agent';
import { Failure, Metrics, release, systemRandom } from '@weir/core';
import type { CommandValues } from '../flags/catalogue.ts';
import { resolveRoles } from '../rules/roles.ts';
import { advertisedAgentHost, advertisedClientHost } from './advertised-addresses.ts';
import type { AgentToRun } from './agent-to-run.ts';
import { listenAddress } from './bind-address.ts';
import { connectAgent } from './connect-agent.ts';
import { explainingStart } from './explaining-start.ts';
import { metricsPushSettings } from './metrics-settings.ts';
import { registrySettings, saslSettings } from './security-settings.ts';
import { tenantAccess } from './tenant-access.ts';
import { tlsSettings } from './tls-settings.ts';
import { serveUntilStopped } from './until-stopped.ts';

/** Runs one agent of a schema registry from start to end. Schemas are in the metadata, so it needs no bucket. */
export async function runRegistryAgent(options: AgentToRun): Promise<void> {
  const { values, agentId, clock, environment, log, stop, cpuCount } = options;
  const roles = resolveRoles(values);
  if ('problem' in roles) throw new Failure(roles.problem.rule);
  const host = advertisedClientHost(values);
  const metrics = new Metrics({ agent_version: release });
  const { httpPort, schemaRegistryPort } = values;
  const ignored = ignoredFlags(values);
  if (ignored.length > 0)
    log.info('ignored settings that an agent of a schema registry does not have', {
      flags: ignored.join(' '),
    });
  const resources = new AsyncDisposableStack();
  const start = async () => {
    const push = startMetricsPush({
      settings: metricsPushSettings(values),
      identity: { clusterId: values.defaultVirtualClusterID!, agentId, agentGroup: values.agentGroup },
      clock,
      log,
      metrics,
    });
    resources.defer(() => push.stop());
    const deps = { clock, random: systemRandom, environment, log, metrics, usesMetadataService: true };
    const tls = await tlsSettings(values, resources, deps);
    const { cluster, tokens } = await connectAgent({ values, resources, clock, environment, log, metrics });
    const running = await startRegistryAgent({
      clusterId: values.defaultVirtualClusterID!,
      agentId,
      group: values.agentGroup,
      zone: values.availabilityZone ?? '',
      roles: roles.value,
      host: listenAddress(values),
      httpPort,
      advertisedHost: host,
      internalHost: advertisedAgentHost(values, host),
      hostname: hostname(),
      ...(tls === undefined ? {} : { tls }),
      registry: registrySettings(values),
      jobs: { categories: values.jobSelector },
      tenantAccess: tenantAccess(values, environment),
      sasl: saslSettings(values),
      logsAclDenials: values.enableACLLogs,
      servesMetrics: values.enablePrometheusMetrics,
      locksShutdown: values.enableShutdownLock,
      cpuCount,
      cluster,
      stats: new AgentStats({ clock, metrics }),
      tokens,
      givenUp: stop,
      clock,
      random: systemRandom,
      log,
      metrics,
    });
    resources.defer(() => running.stop({ deadlineMs: options.stopDeadlineMs() }));
    return running;
  };
  await serveUntilStopped({
    start: () => explainingStart({ httpPort, schemaRegistryPort }, start),
    onReady: (running) =>
      options.onReady({ host, registryPort: running.registryPort, httpPort: running.httpPort }),
    end: () => resources.disposeAsync(),
    stop,
    clock,
  });
}

const kafkaFlags = [
  'bucketURL',
  'ingestionBucketURL',
  'compactionBucketURL',
  'kafkaTLS',
  'internalTLS',
] as const;

/** Flags of agents of Kafka clusters that have a value other than the default. */
function ignoredFlags(values: CommandValues<'agent'>): string[] {
  const given = kafkaFlags.filter((name) => values[name] !== undefined && values[name] !== false);
  return [...(values.kafkaPort === 9092 ? [] : ['kafkaPort']), ...given].map((name) => `-${name}`);
}
