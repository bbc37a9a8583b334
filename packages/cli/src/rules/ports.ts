import { clusterKind } from '@weir/core';
import type { CommandName } from '../commands/catalogue.ts';
import type { FlagName, FlagValues } from '../flags/catalogue.ts';
import { brokers } from '../flags/rows/takers.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

export type PortFlag = Extract<FlagName, `${string}Port`>;
export type PortValues = Pick<FlagValues, PortFlag | 'internalTLS' | 'defaultVirtualClusterID'>;

/**
 * The ports that a command listens on: an agent opens those of its kind of cluster, the other modes open all but that
 * of tables, which is replaced if it is in use.
 */
export function openedPorts(values: PortValues, command: CommandName): readonly PortFlag[] {
  if (command !== 'agent') {
    return ['kafkaPort', 'httpPort', 'consolePort', 'schemaRegistryPort'];
  }
  const kind = clusterKind(values.defaultVirtualClusterID);
  if (kind === 'schema registry') return ['httpPort', 'schemaRegistryPort'];
  const opened: PortFlag[] =
    kind === 'data lake' ? ['httpPort', 'tableflowInternalHTTPPort'] : ['kafkaPort', 'httpPort'];
  if (values.internalTLS) opened.push('internalTLSPort');
  return opened;
}

export function checkPorts(values: PortValues, command: CommandName): Violation | undefined {
  const takenBy = new Map<number, PortFlag>();
  for (const flag of openedPorts(values, command)) {
    const port = values[flag];
    const taker = takenBy.get(port);
    if (taker !== undefined) return forbidden([taker, flag], 'two listeners cannot share a port').problem;
    // Port 0 is a different free port each time.
    if (port !== 0) takenBy.set(port, flag);
  }
  return undefined;
}

export const portRule: Rule = {
  statement: 'Each listener of a process needs its own port.',
  flags: [
    'kafkaPort',
    'httpPort',
    'consolePort',
    'schemaRegistryPort',
    'internalTLSPort',
    'tableflowInternalHTTPPort',
  ],
  commands: brokers,
  check: checkPorts,
};
