import { randomUUID } from 'node:crypto';
import { startMetricsPublisher, startMetricsPush } from '@weir/agent';
import { jsonLog, Metrics, release, systemRandom } from '@weir/core';
import { connectCluster } from '@weir/rpc';
import type { Handler } from '../handler.ts';
import { checkedControlPlaneUrls } from '../rules/control-plane-address.ts';
import { agentProof } from './agent-proof.ts';
import { inUrl, listenAddress, onlyAddress } from './bind-address.ts';
import { explainingStart } from './explaining-start.ts';
import { forwardProxy } from './forward-proxy.ts';
import { clusterMetricsSettings, metricsPushSettings } from './metrics-settings.ts';
import { serveUntilStopped } from './until-stopped.ts';

/** Publishes the metrics of one cluster, so that its agents need not: they run with -disablePublishMetricsJob then. */
export const metrics: Handler<'metrics'> = async (values, { clock, environment, output, stop }) => {
  const agentId = randomUUID();
  const clusterId = values.defaultVirtualClusterID!;
  const log = jsonLog({
    level: values.logLevel,
    nowMs: clock.nowMs,
    write: (line) => output.err(`${line}\n`),
  }).with({ agentId });
  const stats = new Metrics({ agent_version: release });
  const { httpPort } = values;
  const urls = checkedControlPlaneUrls(values);
  const shownHost = inUrl(onlyAddress(values.bindAddress) ?? 'localhost');
  const resources = new AsyncDisposableStack();
  const start = async () => {
    const deps = { clock, environment, random: systemRandom, log, metrics: stats };
    const push = startMetricsPush({
      ...deps,
      settings: metricsPushSettings(values),
      identity: { clusterId, agentId, agentGroup: '' },
    });
    resources.defer(() => push.stop());
    const proxy = forwardProxy(values);
    let knownUrls = (): readonly string[] => urls;
    const proof = agentProof({ ...deps, values, urls: () => knownUrls(), proxy });
    resources.defer(() => proof.stop());
    await proof.whenReady();
    const cluster = connectCluster({
      ...deps,
      urls,
      clusterId,
      region: values.multiregion ? values.region : undefined,
      agentKey: proof.agentKey,
      onAgentKeyRefused: proof.refused,
      onRegions: proof.expect,
      proxy,
    });
    knownUrls = () => cluster.urls();
    resources.defer(() => cluster.close());
    const publisher = await startMetricsPublisher({
      ...deps,
      cluster,
      settings: clusterMetricsSettings(values),
      host: listenAddress(values),
      httpPort,
      servesMetrics: values.enablePrometheusMetrics,
      givenUp: stop,
    });
    resources.defer(() => publisher.stop());
    return publisher;
  };
  // The process waits for a control plane that cannot be reached, and must be stoppable meanwhile.
  await serveUntilStopped({
    start: () => explainingStart({ httpPort }, start),
    onReady: (publisher) =>
      output.out(`weir ${release} metrics is ready\n  HTTP   http://${shownHost}:${publisher.httpPort}\n`),
    end: () => resources.disposeAsync(),
    stop,
    clock,
  });
  return 0;
};
