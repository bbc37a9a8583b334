/**
 * How interop tests share a machine with two cores. They start brokers, JVMs and databases, and mostly wait for
 * clients, so that three files run at a time. A file that fails then runs again alone: what fails alone fails.
 */
export const interopWorkers = 3;

/** Tests that never run beside others, by reason. */
const alone: Readonly<Record<string, readonly string[]>> = {
  'short deadlines run meanwhile': [
    'agent/killed-agent',
    'brokers/share-failover',
    'faults/quick-faults',
    'security/renewal',
  ],
  'memory, processor time or the number of requests is measured': [
    'agent/diagnostics',
    'agent/limits-memory',
    'agent/zone-cache',
  ],
  'ports are in a row': ['agent/processes'],
};

export function runsAlone(file: string): boolean {
  return Object.values(alone)
    .flat()
    .some((name) => file === `tests/interop/${name}.test.ts`);
}
