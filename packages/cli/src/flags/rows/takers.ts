/** The sets of commands that share flags. */

import { type CliToolName, cliTools } from '../../commands/catalogue.ts';

/** Everything that serves Kafka clients. */
export const brokers = ['agent', 'local', 'playground', 'demo'] as const;

/** What connects to a control plane on behalf of one cluster. */
export const clusterMembers = ['agent', 'metrics'] as const;

/** Everything that runs until it is told to stop. */
export const servers = ['agent', 'control-plane', 'metrics', 'local', 'playground', 'demo'] as const;

/** The tools that measure a cluster, and serve metrics meanwhile. */
export const benchmarks = ['cli benchmark-producer', 'cli benchmark-consumer'] as const;

/** What carries its own control plane. */
export const selfContained = ['control-plane', 'local', 'playground', 'demo'] as const;

/** The tools that ask the API for events. */
export const eventTools = ['cli events search', 'cli events tail', 'cli events fields'] as const;

/** The tools that switch events on and off. */
export const eventSwitches = ['cli events enable', 'cli events disable'] as const;

/** The tools that ask the API, and no cluster. */
export const apiTools = [...eventTools, ...eventSwitches, 'cli create-key', 'cli mcp-config'] as const;

const otherTools = ['cli validate-pipeline-config', 'cli events', ...apiTools] as const;
type OtherTool = (typeof otherTools)[number];

/** The tools that connect to a cluster as a Kafka client. */
export const kafkaClients = [
  'kcmd' as const,
  ...cliTools.filter(
    (name): name is Exclude<CliToolName, OtherTool> => !otherTools.includes(name as OtherTool),
  ),
];
