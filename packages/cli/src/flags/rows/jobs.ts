import { jobCategories } from '@weir/core';
import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { bytesPerSecond, float, port } from '../../values/numbers.ts';
import { targetHost, tenantVariable } from '../../values/tenant-access.ts';
import { oneOf, text } from '../../values/text.ts';
import { available } from '../row.ts';
import { brokers } from './takers.ts';

/** Commands that run pipelines or check their configurations. */
const pipelineHosts = ['agent', 'control-plane', 'local', 'playground', 'demo'] as const;

/** Background work: compaction, pipelines, tables, migration, queries. */
export const jobFlags = [
  available({
    name: 'jobSelector',
    type: list(oneOf(...jobCategories)),
    commands: ['agent'],
    help: 'The categories of background jobs that this agent runs; default: all.',
    rule: 'Applies to agents with the role jobs. compaction is the merging of files, deadscanner the deletion of files and the search for dead ones, metrics the publishing of cluster metrics, events that of events of the control plane and the columns that make searches fast, schema-linking the syncs and exporters of schema registries. tableflow the writing and the upkeep of tables on agents of data lakes. orbit the copying of other clusters by migrations. Pipelines run on agents with the role pipelines, whatever is selected here.',
  }),
  available({
    name: 'jobsRunnerSlotsAmplification',
    type: float({ above: 0 }),
    default: 1,
    commands: brokers,
    help: 'The maximum number of concurrent background jobs per core.',
    rule: 'At least one runs. Writing a table is not counted: an agent of a data lake writes up to 1000 at a time.',
  }),
  available({
    name: 'disableFileDeletion',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Do not delete objects on this agent: neither dead files nor event columns.',
    rule: 'For immutable buckets. Set it on all agents with the role jobs, or for the whole cluster with `service.file.delete.enable`. The diagnostic dead_files_growing reports undeleted files.',
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
    help: 'The hosts that pipelines, schema exporters and alerts may connect to.',
    rule: 'public is every address of the public internet and loopback this machine; other entries are names, *.domain, addresses and networks, each with a port or without. A name that is listed may have any address but those of metadata services. Addresses are checked when the agent connects. Give agents and control planes the same list: the latter refuse configurations by it.',
  }),
  available({
    name: 'allowedPipelineVariables',
    type: list(tenantVariable()),
    default: [],
    commands: pipelineHosts,
    help: 'Environment variables that pipeline configurations may use in addition to WEIR_PIPELINE_….',
    rule: 'Variables that weir reads itself cannot be listed. Set the same list on agents and control planes, which validate configurations with it.',
  }),
  available({
    name: 'lendAWSCredentials',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Let migrations log in to Amazon MSK with the AWS credentials of this agent.',
    rule: 'For sasl_mechanism aws-msk-iam without a key: those of the environment, of a profile or of the role of the machine. They sign requests to connect to brokers of Amazon MSK, for all users who may deploy a migration, and nothing else. Set it on all agents that take the jobs of the migration, answer queries or take records.',
  }),
  available({
    name: 'enableManagedPipelines',
    type: bool(),
    default: false,
    defaultByCommand: { local: true, playground: true, demo: true },
    commands: brokers,
    help: 'Run managed data pipelines on this agent.',
    rule: 'Adds the role pipelines. Each instance of a pipeline has a thread with limits of memory and time.',
  }),
  available({
    name: 'overridePipelinesSharedRateLimitPerVCPU',
    type: bytesPerSecond(),
    commands: brokers,
    help: 'The rate limit of all pipelines of an agent, per core.',
    rule: 'Default: 5MB if the agent has other roles, 100MiB if pipelines is its only role.',
  }),
  available({
    name: 'disableQueryEngine',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Do not run event queries on this agent.',
  }),
  available({
    name: 'disableOutOfRangeOrbit',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Return KAFKA_STORAGE_ERROR instead of OFFSET_OUT_OF_RANGE for topics under migration.',
    rule: 'Experimental.',
  }),
  available({
    name: 'tableflowMetadataSyncMode',
    type: oneOf('direct', 'proxy'),
    default: 'direct',
    commands: ['agent'],
    help: 'How agents of a data lake write the metadata of tables: into the bucket.',
    rule: 'proxy, which writes it through another agent, is not available: every agent that writes tables needs access to their bucket.',
  }),
  available({
    name: 'tableflowInternalHTTPPort',
    type: port(),
    default: 8081,
    commands: brokers,
    help: 'The port on which an agent of a data lake shows its health and the tables that it writes.',
    rule: 'GET /v1/tables answers with offsets, lags and counts of each table as JSON, without rows, and to everyone who reaches the port, as /metrics does. In local, playground and demo the port opens with the first table; if it is in use then, another one is taken. 0 chooses a free port.',
  }),
  available({
    name: 'logIntakeDefaultTopic',
    type: text('topic'),
    commands: brokers,
    help: 'The default topic for logs received over HTTP.',
    rule: 'Otherwise Datadog, OpenTelemetry and Loki shippers set a topic in the URL (?topic=) or in the header kafka-topic.',
  }),
];
