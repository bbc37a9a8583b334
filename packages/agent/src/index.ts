export { startAgent } from './agent.ts';
export type { AgentOptions, RunningAgent } from './agent-options.ts';
export { giveBucketId, readBucketId } from './buckets/bucket-id.ts';
export { ClusterBuckets, type OwnBucket } from './buckets/cluster-buckets.ts';
export { AgentEvents } from './events/agent-events.ts';
export { startHttpListener } from './http/http-server.ts';
export { metricsRoutes } from './http/probe-routes.ts';
export { AgentKeyFile } from './identity/agent-key-file.ts';
export { AgentToken } from './identity/agent-token.ts';
export { platformToken } from './identity/platform-token.ts';
export type { JobSettings } from './jobs/job-service.ts';
export { agentMetricRows } from './metric-rows.ts';
export { publishIntervalMs } from './metrics-publishing/cluster-metrics.ts';
export { startMetricsPublisher } from './metrics-publishing/metrics-publisher.ts';
export {
  type MetricsPush,
  type MetricsPushSettings,
  startMetricsPush,
} from './metrics-publishing/push/metrics-push.ts';
export { type ZoneOfAddress, zonesByAddress } from './placement/address-zones.ts';
export { type AdvertisedHost, advertisedHost, type Machine } from './placement/advertised-host.ts';
export { startRegistryAgent } from './registry-agent.ts';
export type { RegistrySettings } from './schema-registry/agent-registry.ts';
export type { ProxyProtocolOptions } from './security/proxy-protocol/proxied-client.ts';
export type { SaslSettings } from './security/sasl/create-sasl.ts';
export type { AgentTls } from './security/tls/agent-tls.ts';
export { clientNames, type NameRule } from './security/tls/client-names.ts';
export { ServerCertificates } from './security/tls/server-certificates.ts';
export { type TlsSource, tlsBucket, tlsFiles } from './security/tls/tls-material.ts';
export { AgentStats } from './stats/agent-stats.ts';
export { lookUpZone } from './zone/look-up-zone.ts';
export { OwnZone } from './zone/own-zone.ts';
export { ZoneWarnings } from './zone/zone-warnings.ts';
