import type { checks } from '../../packages/diagnostics/src/registry.ts';

type DiagnosticName = (typeof checks)[number]['name'];

/** Values of a series at every minute, as unit tests of Prometheus write them: `0+60x60` is 60 more each time. */
type Values = string;

/** An alert: its rule, its runbook, and what makes it fire. */
export interface AlertRule {
  readonly name: string;
  readonly severity: 'critical' | 'warning';
  readonly expression: string;
  /** How long the expression has to hold. */
  readonly holdsFor: string;
  /** One line for people. It may name labels of the expression. */
  readonly summary: string;
  readonly means: string;
  /** What to look at, in this order. */
  readonly look: readonly string[];
  readonly remedy: string;
  /** Diagnostics that often fail with it. */
  readonly diagnostics: readonly DiagnosticName[];
  /** Series with values at which nothing fires, and values at which it does. */
  readonly series: readonly (readonly [series: string, good: Values, bad: Values])[];
  /** Labels of the alert that fires, beside its severity. */
  readonly labels: Readonly<Record<string, string>>;
}

const steady = (value: number): Values => `${value}x90`;
const growing = (perMinute: number): Values => `0+${perMinute}x90`;

const diagnostic = (name: string) =>
  `service_diagnostic_failure{diagnostic_name="${name}",muted="false",severity_low="false"}`;

/**
 * The alerts that a release comes with. The file of rules, the page of runbooks and the tests derive from this list.
 * Thresholds are a start: latency depends on the store, lag on the consumers.
 */
export const alertRules: readonly AlertRule[] = [
  {
    name: 'WeirDiagnosticFails',
    severity: 'warning',
    expression: 'service_diagnostic_failure{muted="false",severity_low="false"} == 1',
    holdsFor: '2m',
    summary: '{{ $labels.diagnostic_name }} fails',
    means: 'A check that the control plane runs on the cluster once a minute has findings.',
    look: [
      'The section of the diagnostic in the [reference](../reference/diagnostics.md), which says why it matters.',
      '`list_diagnostics` of the [API](../reference/api.md), or the console: the findings with their numbers.',
    ],
    remedy: 'What the section of the diagnostic says. Mute it if it is known and can wait.',
    diagnostics: [],
    series: [[diagnostic('lost_agent'), steady(0), steady(1)]],
    labels: { diagnostic_name: 'lost_agent', muted: 'false', severity_low: 'false' },
  },
  {
    name: 'WeirAgentNotReady',
    severity: 'critical',
    expression: 'service_agent_ready == 0',
    holdsFor: '1m',
    summary: '{{ $labels.instance }} serves no clients',
    means: 'An agent runs and is not ready: it starts, stops, or cannot write to its bucket.',
    look: [
      '`curl agent-1:8080/v1/ready`, which gives the reason in one line.',
      'The log of the agent since its start.',
    ],
    remedy:
      'For a bucket: its permissions, credentials and network ([buckets](buckets.md)). An agent that never becomes ready after a start has a wrong setting, which its log names.',
    diagnostics: ['bucket_unavailable', 'bucket_permission', 'no_agents'],
    series: [['service_agent_ready{instance="agent-1:8080"}', steady(1), steady(0)]],
    labels: { instance: 'agent-1:8080' },
  },
  {
    name: 'WeirClusterWithoutLeader',
    severity: 'critical',
    expression: '(max by (cluster) (service_cluster_leader)) == 0 or absent(service_cluster_leader)',
    holdsFor: '1m',
    summary: 'no control plane leads the cluster {{ $labels.cluster }}',
    means:
      'Nothing can be committed. Agents keep what they accepted until clients give up, and consumers wait.',
    look: [
      '`curl control-1:8090/v1/ready` of every control plane.',
      'The database of the control planes: connections, locks, disk.',
      'If no process is scraped, the alert has no cluster: look at the targets of Prometheus.',
    ],
    remedy:
      'Start a control plane, or bring its database back; [restore](restore.md) if that is lost. Agents go on by themselves.',
    diagnostics: [],
    series: [['service_cluster_leader{cluster="vci_1",instance="control-1:8090"}', steady(1), steady(0)]],
    labels: { cluster: 'vci_1' },
  },
  {
    name: 'WeirProduceErrors',
    severity: 'critical',
    expression:
      'sum(rate(service_agent_produce_outcome{outcome="error"}[5m])) / sum(rate(service_agent_produce_outcome[5m])) > 0.01',
    holdsFor: '5m',
    summary: 'more than 1 % of the Produce requests fail',
    means: 'Producers get errors and send again; those that give up lose records.',
    look: [
      'The logs of agents, and `bin/weir cli events search -types agent_logs -last 1h`.',
      'Whether it is the bucket (WeirUploadsFail), the leader (WeirClusterWithoutLeader) or clients that are denied (WeirDeniedByAcl).',
    ],
    remedy:
      'That of the cause. Errors of single topics are in the table [errors of clients](troubleshooting.md).',
    diagnostics: ['produce_timeout_too_low', 'bucket_failures', 'records_without_valid_schema'],
    series: [
      ['service_agent_produce_outcome{outcome="success"}', growing(6000), growing(6000)],
      ['service_agent_produce_outcome{outcome="error"}', growing(6), growing(600)],
    ],
    labels: {},
  },
  {
    name: 'WeirProduceSlow',
    severity: 'warning',
    expression:
      'histogram_quantile(0.99, sum by (le) (rate(service_agent_kafka_request_latency_bucket{kafka_key="Produce"}[5m]))) > 2',
    holdsFor: '10m',
    summary: 'one in a hundred Produce requests takes more than two seconds',
    means: 'Writes wait: for more records of a file, for the upload, for the commit, or for processor time.',
    look: [
      '`service_agent_segment_batcher_flush_new_file_duration`, `service_agent_segment_batcher_flush_write_to_duration` and `service_agent_segment_batcher_flush_put_file_duration`: which part grew.',
      'WeirAgentBusy, WeirLeaderBusy and WeirJournalSlow.',
    ],
    remedy:
      'For uploads, the store and the network to it; for commits, the database of the control planes; for processor time, more agents ([scaling](scaling.md)).',
    diagnostics: ['bucket_latency', 'overloaded_agents', 'produce_timeout_too_low'],
    series: [
      ['service_agent_kafka_request_latency_bucket{kafka_key="Produce",le="1"}', growing(600), growing(60)],
      ['service_agent_kafka_request_latency_bucket{kafka_key="Produce",le="5"}', growing(600), growing(600)],
      [
        'service_agent_kafka_request_latency_bucket{kafka_key="Produce",le="+Inf"}',
        growing(600),
        growing(600),
      ],
    ],
    labels: {},
  },
  {
    name: 'WeirUploadsFail',
    severity: 'critical',
    expression:
      'sum by (operation) (rate(service_blob_store_operation_latency_count{outcome!~"success|aborted|notFound"}[5m])) > 0.1',
    holdsFor: '10m',
    summary: '{{ $labels.operation }} of the object store fails',
    means: 'Requests to the bucket fail. They are sent again, and clients wait meanwhile.',
    look: [
      '`curl agent-1:8080/v1/ready`, and `service_circuit_breaker_state_set`.',
      'The status page of the provider, and quotas of requests for the bucket.',
    ],
    remedy: 'Permissions and credentials ([buckets](buckets.md)), or wait for the provider.',
    diagnostics: ['bucket_failures', 'bucket_unavailable', 'bucket_permission'],
    series: [
      [
        'service_blob_store_operation_latency_count{operation="putObject",outcome="failure"}',
        steady(0),
        growing(60),
      ],
      [
        'service_blob_store_operation_latency_count{operation="putObject",outcome="success"}',
        growing(600),
        growing(600),
      ],
    ],
    labels: { operation: 'putObject' },
  },
  {
    name: 'WeirMetadataBackupBehind',
    severity: 'critical',
    expression: 'service_metadata_backup_age_seconds > 60',
    holdsFor: '5m',
    summary: 'the metadata of {{ $labels.cluster }} in the bucket is more than a minute behind',
    means: 'If the database were lost now, what was decided since then would be lost with it.',
    look: [
      'The log of the control plane that leads the cluster.',
      'Whether it reaches the bucket: its `/metrics`.',
    ],
    remedy: 'Permissions and network of control planes to the bucket ([buckets](buckets.md)).',
    diagnostics: ['metadata_backup_behind'],
    series: [['service_metadata_backup_age_seconds{cluster="vci_1"}', steady(2), growing(60)]],
    labels: { cluster: 'vci_1' },
  },
  {
    name: 'WeirJournalSlow',
    severity: 'warning',
    expression:
      'histogram_quantile(0.99, sum by (le, cluster) (rate(service_journal_append_seconds_bucket[5m]))) > 0.5',
    holdsFor: '10m',
    summary: 'decisions of {{ $labels.cluster }} take more than half a second to be stored',
    means: 'The database of the control planes is slow, so that every commit waits.',
    look: ['The database: disk, locks, vacuum, replicas that commits wait for.', 'The network between both.'],
    remedy:
      'A faster disk, or a database that nothing else uses. PostgreSQL should be in the region of its leaders.',
    diagnostics: ['control_plane_utilization'],
    series: [
      ['service_journal_append_seconds_bucket{cluster="vci_1",le="0.1"}', growing(600), growing(60)],
      ['service_journal_append_seconds_bucket{cluster="vci_1",le="1"}', growing(600), growing(600)],
      ['service_journal_append_seconds_bucket{cluster="vci_1",le="+Inf"}', growing(600), growing(600)],
    ],
    labels: { cluster: 'vci_1' },
  },
  {
    name: 'WeirLeaderBusy',
    severity: 'warning',
    expression: 'service_control_plane_utilization > 0.7',
    holdsFor: '15m',
    summary: 'the leader of {{ $labels.cluster }} is busy most of the time',
    means: 'One process orders all writes of a cluster. Beyond this, calls of agents queue.',
    look: [
      '[Scaling](scaling.md): what a file, a batch and a group cost the leader.',
      'How many files agents write.',
    ],
    remedy:
      'Larger files (`-batchTimeout`), fewer agents that are larger, a faster core, or a second cluster.',
    diagnostics: ['control_plane_utilization', 'small_files', 'partition_count_near_limit'],
    series: [['service_control_plane_utilization{cluster="vci_1"}', steady(0.3), steady(0.9)]],
    labels: { cluster: 'vci_1' },
  },
  {
    name: 'WeirAgentBusy',
    severity: 'warning',
    expression: 'service_agent_cpu > 0.85',
    holdsFor: '15m',
    summary: 'agent {{ $labels.agent }} has no processor time left',
    means: 'From `-highCPUBackpressureThresholdPercent` on, agents throttle clients.',
    look: [
      'Whether all agents are busy, or one ([scaling](scaling.md)).',
      'A profile ([debugging](debugging.md)).',
    ],
    remedy:
      'More agents. If one agent is busy alone, its clients do not spread: their bootstrap addresses and pools.',
    diagnostics: ['overloaded_agents', 'unbalanced_agents'],
    series: [['service_agent_cpu{agent="1"}', steady(0.5), steady(0.95)]],
    labels: { agent: '1' },
  },
  {
    name: 'WeirConsumerLag',
    severity: 'warning',
    expression: 'sum by (consumer_group) (service_consumer_group_lag) > 1e6',
    holdsFor: '15m',
    summary: '{{ $labels.consumer_group }} is a million records behind',
    means: 'A consumer group reads more slowly than producers write, or not at all.',
    look: [
      '`bin/weir cli consumer-group-lag -group billing`, and `bin/weir cli describe-groups -group billing`: the members.',
    ],
    remedy:
      'More members, up to the number of partitions; or the consumer itself. Retention removes what it misses.',
    diagnostics: ['consumer_group_falling_behind', 'consumer_group_stuck', 'consumer_group_without_members'],
    series: [
      ['service_consumer_group_lag{consumer_group="billing",topic="orders"}', steady(10), steady(2e6)],
    ],
    labels: { consumer_group: 'billing' },
  },
  {
    name: 'WeirDeniedByAcl',
    severity: 'warning',
    expression: 'sum by (resource_type, operation) (increase(service_agent_acl_denied[10m])) > 100',
    holdsFor: '0m',
    summary: '{{ $labels.operation }} of {{ $labels.resource_type }} is denied again and again',
    means: 'A client lacks a right, or tries what it should not.',
    look: ['`bin/weir cli events search -types acl_logs -last 1h`: who, what, and which rule.'],
    remedy: 'An ACL ([ACLs](../reference/acls.md)), or the client.',
    diagnostics: ['invalid_acls'],
    series: [['service_agent_acl_denied{resource_type="TOPIC",operation="READ"}', growing(1), growing(60)]],
    labels: { resource_type: 'TOPIC', operation: 'READ' },
  },
  {
    name: 'WeirLoginsFail',
    severity: 'warning',
    expression:
      'sum by (mechanism) (increase(service_agent_kafka_authentication_counter{outcome="failure"}[10m])) > 50',
    holdsFor: '0m',
    summary: 'logins by {{ $labels.mechanism }} fail again and again',
    means: 'A client has a wrong password, a credential is gone, or passwords are tried.',
    look: [
      'The log of agents, which has the address of the client.',
      '`list_virtual_cluster_credentials` of the API.',
    ],
    remedy: 'The credential, or a network rule against the address ([security](../guides/security.md)).',
    diagnostics: ['unused_credentials'],
    series: [
      [
        'service_agent_kafka_authentication_counter{mechanism="PLAIN",outcome="failure"}',
        growing(1),
        growing(60),
      ],
    ],
    labels: { mechanism: 'PLAIN' },
  },
  {
    name: 'WeirCertificateExpires',
    severity: 'warning',
    expression: 'service_agent_tls_certificate_expiry_seconds - time() < 14 * 86400',
    holdsFor: '0m',
    summary: 'the certificate of {{ $labels.instance }} expires within two weeks',
    means: 'After that, clients with TLS cannot connect.',
    look: ['Whether the file was renewed and the agent reads another one.'],
    remedy: 'Replace the files; agents read them again by themselves ([security](../guides/security.md)).',
    diagnostics: ['expiring_certificates'],
    series: [
      ['service_agent_tls_certificate_expiry_seconds{instance="agent-1:8080"}', steady(2e6), steady(1e6)],
    ],
    labels: { instance: 'agent-1:8080' },
  },
  {
    name: 'WeirPartitionsNearLimit',
    severity: 'warning',
    expression: 'service_partitions_count / service_partitions_count_limit > 0.8',
    holdsFor: '5m',
    summary: 'four fifths of the partitions that the cluster may have exist',
    means: 'At the limit, topics can be neither created nor extended.',
    look: ['`bin/weir cli list-topics`: topics that nothing uses.'],
    remedy: 'Delete topics, or use a second cluster.',
    diagnostics: ['partition_count_near_limit'],
    series: [
      ['service_partitions_count', steady(10), steady(90)],
      ['service_partitions_count_limit', steady(100), steady(100)],
    ],
    labels: {},
  },
];
