/** Sets of commands that share flags. */

import { type CliToolName, cliTools } from '../../commands/catalogue.ts';

/** Commands that serve Kafka clients. */
export const brokers = ['agent', 'local', 'playground', 'demo'] as const;

/** Commands that connect to a control plane on behalf of one cluster. */
export const clusterMembers = ['agent', 'metrics'] as const;

/** Commands that run until they are stopped. */
export const servers = ['agent', 'control-plane', 'metrics', 'local', 'playground', 'demo'] as const;

/** Tools that benchmark a cluster, and serve metrics while they run. */
export const benchmarks = ['cli benchmark-producer', 'cli benchmark-consumer'] as const;

/** Commands that run their own control plane. */
export const selfContained = ['control-plane', 'local', 'playground', 'demo'] as const;

/** Tools that read events through the API. */
export const eventTools = ['cli events search', 'cli events tail', 'cli events fields'] as const;

/** Tools that enable and disable events. */
export const eventSwitches = ['cli events enable', 'cli events disable'] as const;

/** Tools for one table. */
export const oneTableTools = [
  'cli tables describe',
  'cli tables files',
  'cli tables failures',
  'cli tables replay',
] as const;

/** Tools for the tables of a data lake cluster. */
export const tableTools = ['cli tables list', 'cli tables query', ...oneTableTools] as const;

/** Tools that move topics of a migration from state to state, or say how that would be. */
export const migrationTransitions = [
  'cli migrate forward',
  'cli migrate cut-over',
  'cli migrate abort',
  'cli migrate hand-over',
] as const;

/** Tools for the migration of a cluster. */
export const migrationTools = [
  'cli migrate',
  'cli migrate preflight',
  'cli migrate start',
  'cli migrate status',
  ...migrationTransitions,
  'cli migrate recopy',
  'cli migrate pause',
  'cli migrate resume',
] as const;

/** Commands on the named secrets of a cluster. */
export const secretTools = ['secret create', 'secret list', 'secret rotate', 'secret delete'] as const;

/** Tools on credentials of a cluster. */
export const credentialTools = ['cli rotate-credential', 'cli end-rotation'] as const;

/** Tools that use only the API, and no cluster. */
export const apiTools = [
  ...secretTools,
  ...eventTools,
  ...eventSwitches,
  ...tableTools,
  ...migrationTools,
  'cli clone-cluster',
  'cli clone-topic',
  'cli storage-costs',
  'cli create-key',
  ...credentialTools,
  'cli mcp-config',
] as const;

/** Tools that read a bucket, and need no server. */
export const bucketTools = ['cli file-reader', 'cli file-scrubber'] as const;

/** Tools that ask the API or a metadata backup about records, and read them from a bucket. */
export const recordTools = ['cli diagnose-record'] as const;

/** Tools that show records of a bucket, and decode them by the schemas of a registry. */
export const bucketDecoders = ['cli file-reader', 'cli diagnose-record'] as const;

/** Tools that show records, and decode them by the schemas of a registry. */
export const decoders = ['kcmd', 'cli fetch', 'cli console-consumer', ...bucketDecoders] as const;

/** Tools that work on a schema registry over its HTTP API. */
export const registryTools = [
  'cli list-subjects',
  'cli describe-schema',
  'cli register-schema',
  'cli check-schema',
  'cli delete-schema',
  'cli schema-config',
] as const;

/** Commands that print a result, for people or for programs. A new tool of `cli` is one of them. */
export const resultPrinters = [
  'kcmd' as const,
  'apply' as const,
  'version' as const,
  'control-plane restore' as const,
  ...secretTools,
  ...cliTools.filter(
    // What a pipeline prints is of its own making.
    (name): name is Exclude<CliToolName, 'cli events' | 'cli tables' | 'cli run-pipeline'> =>
      name !== 'cli events' && name !== 'cli tables' && name !== 'cli run-pipeline',
  ),
];

const otherTools = [
  'cli validate-pipeline-config',
  'cli run-pipeline',
  'cli blobl',
  'cli plan-capacity',
  'cli events',
  'cli tables',
  ...apiTools,
  ...bucketTools,
  ...recordTools,
  ...registryTools,
] as const;
type OtherTool = (typeof otherTools)[number];

/** Tools that connect to a cluster as a Kafka client. */
export const kafkaClients = [
  'kcmd' as const,
  ...cliTools.filter(
    (name): name is Exclude<CliToolName, OtherTool> => !otherTools.includes(name as OtherTool),
  ),
];
