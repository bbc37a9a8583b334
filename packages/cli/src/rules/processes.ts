import { availableParallelism } from 'node:os';
import type { FlagValues } from '../flags/catalogue.ts';
import { openedPorts, type PortFlag, type PortValues } from './ports.ts';
import { forbidden, type Rule, type Violation } from './rule.ts';

const portMax = 65_535;

/** How many agent processes `-processes` asks for on a machine with this many cores. */
export function processCount(requested: number | 'auto', cpuCount: number = availableParallelism()): number {
  return requested === 'auto' ? cpuCount : requested;
}

/** The port of one of several processes, by its index from 0. Zero stays zero: any free port. */
export function portOf(port: number, index: number): number {
  return port === 0 ? 0 : port + index;
}

export function checkProcesses(
  values: PortValues & Pick<FlagValues, 'processes'>,
  cpuCount?: number,
): Violation | undefined {
  const count = processCount(values.processes, cpuCount);
  // The rule about ports checks a single process.
  if (count === 1) return undefined;
  const takenBy = new Map<number, PortFlag>();
  for (const flag of openedPorts(values, 'agent')) {
    if (values[flag] === 0) continue;
    const last = portOf(values[flag], count - 1);
    if (last > portMax) {
      const rule = `${count} processes need ports up to ${last}, and 65535 is the last`;
      return forbidden([flag, 'processes'], rule).problem;
    }
    for (let port = values[flag]; port <= last; port++) {
      const taker = takenBy.get(port);
      if (taker !== undefined) {
        const rule = `the port ranges of ${count} processes overlap`;
        return forbidden([taker, flag, 'processes'], rule).problem;
      }
      takenBy.set(port, flag);
    }
  }
  return undefined;
}

export const processRule: Rule = {
  statement:
    'Each process of -processes uses the next port after -kafkaPort (of a schema registry after -schemaRegistryPort), ' +
    'after -httpPort and, with -internalTLS, after -internalTLSPort, of a data lake after -tableflowInternalHTTPPort.',
  flags: [
    'processes',
    'kafkaPort',
    'schemaRegistryPort',
    'httpPort',
    'internalTLSPort',
    'tableflowInternalHTTPPort',
  ],
  commands: ['agent'],
  check: (values) => checkProcesses(values),
};
