import { jobCategories } from '@weir/core';
import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { bytesPerSecond, float, port } from '../../values/numbers.ts';
import { targetHost, tenantVariable } from '../../values/tenant-access.ts';
import { oneOf, text } from '../../values/text.ts';
import { available, planned } from '../row.ts';
import { brokers } from './takers.ts';

/** Commands that run pipelines or check their configurations. */
const pipelineHosts = ['agent', 'control-plane', 'local', 'playground', 'demo'] as const;

/** Background work: compaction, pipelines, tables, migration, queries. */
export const jobFlags = [
  available({
    name: 'jobSelector',
    type: list(oneOf(...jobCategories)),
    commands: ['agent'],
    help: 'The categories of background jobs that this agent takes; all of them when it is not set.',
    rule: 'Counts for agents with the role jobs. compaction is the merging of files, deadscanner the deletion of files and the search for dead ones, metrics the publishing of cluster metrics, events that of events of the control plane and the columns that make searches fast, schema-linking the syncs and exporters of schema registries. Of pipelines, tableflow and orbit this release has no jobs.',
  }),
  available({
    name: 'jobsRunnerSlotsAmplification',
    type: float({ above: 0 }),
    default: 1,
    commands: brokers,
    help: 'How many background jobs run at once, per core.',
    rule: 'At least one runs.',
  }),
  available({
    name: 'disableFileDeletion',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Delete no objects on this agent: neither dead files nor columns of events.',
    rule: 'For buckets that are immutable. Set it on all agents with the role jobs, or for the whole cluster by `service.file.delete.enable`. The diagnostic dead_files_growing counts what would go.',
  }),
  available({
    name: 'allowedTargetHosts',
    type: list(targetHost()),
    default: ['public'],
    defaultByCommand: {
      local: ['public', 'loopback'],
      playground: ['public', 'loopback'],
      demo: ['public', 'loopback'],
    },
    commands: pipelineHosts,
    help: 'Hosts that pipelines and exporters of schemas may name; the agent connects to no other for them.',
    rule: 'public is every address of the public internet and loopback this machine; other entries are names, *.domain, addresses and networks, each with a port or without. A name that is listed may have any address but those of metadata services. Addresses are checked when the agent connects. Give agents and control planes the same list: the latter refuse configurations by it.',
  }),
  available({
    name: 'allowedPipelineVariables',
    type: list(tenantVariable()),
    default: [],
    commands: pipelineHosts,
    help: 'Environment variables that configurations of pipelines may name beside WEIR_PIPELINE_….',
    rule: 'Variables that weir reads itself cannot be listed. Give agents and control planes the same list: the latter refuse configurations by it.',
  }),
  planned({
    name: 'enableManagedPipelines',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Run managed data pipelines on this agent.',
    rule: 'Refused, because this release runs no pipelines.',
  }),
  planned({
    name: 'overridePipelinesSharedRateLimitPerVCPU',
    type: bytesPerSecond(),
    commands: brokers,
    help: 'The rate that all pipelines of an agent share, per core.',
    rule: 'Without it 5MB when the agent has other roles, and 100MiB when pipelines is its only one.',
  }),
  available({
    name: 'disableQueryEngine',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Do not answer event queries on this agent.',
  }),
  planned({
    name: 'disableOutOfRangeOrbit',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Answer KAFKA_STORAGE_ERROR instead of OFFSET_OUT_OF_RANGE for topics under migration.',
    rule: 'Experimental.',
  }),
  planned({
    name: 'tableflowMetadataSyncMode',
    type: oneOf('direct', 'proxy'),
    default: 'direct',
    commands: ['agent'],
    help: 'How ingestion agents write the metadata of tables: in the bucket, or through another agent.',
  }),
  planned({
    name: 'tableflowInternalHTTPPort',
    type: port(),
    default: 8081,
    commands: brokers,
    help: 'The port on which table agents reach one another.',
  }),
  available({
    name: 'logIntakeDefaultTopic',
    type: text('topic'),
    commands: brokers,
    help: 'The topic for logs that arrive over HTTP without naming one.',
    rule: 'Without it, shippers of Datadog, OpenTelemetry and Loki name a topic in their URL (?topic=) or in the header kafka-topic.',
  }),
];
