/**
 * How interop tests share a machine with two cores. They start brokers, JVMs and databases, and mostly wait for
 * clients, so that two files run at a time. A file that fails then runs again alone: what fails alone fails.
 */
export const interopWorkers = 2;

/** Tests that never run beside others, by reason. */
const alone: Readonly<Record<string, readonly string[]>> = {
  'processes are killed or stopped, and deadlines run meanwhile': [
    'agent/graceful-shutdown',
    'agent/killed-agent',
    'applications/group-failover',
    'brokers/failures',
    'brokers/share-failover',
    'faults/quick-faults',
    'postgres/agents',
  ],
  'memory, processor time or the number of requests is measured': [
    'agent/diagnostics',
    'agent/limits-memory',
    'agent/zone-cache',
  ],
  'certificates expire meanwhile': ['security/renewal'],
  'ports are given or in a row': ['agent/processes', 'readme/readme'],
};

export function runsAlone(file: string): boolean {
  return Object.values(alone)
    .flat()
    .some((name) => file === `tests/interop/${name}.test.ts`);
}
