/**
 * How interop tests share a machine of two cores. They start brokers, JVMs and databases, and most of them wait for clients more
 * than they compute; but a neighbour may disturb those that are about deadlines, memory or which process is asked.
 */
export const interopWorkers = 2;

/** Tests that run two at a time. Each of them passed ten runs beside the others; a new name has to as well. */
const together: readonly string[] = [
  'apache/errors',
  'apache/roundtrip',
  'apache/schemas',
  'apache/tools',
  'apache/values',
  'clients/coverage',
  'clients/kafkajs-records',
  'clients/kafkajs-requests',
  'clients/kafkajs-responses',
  'clients/platformatic-records',
  'clients/platformatic-requests',
  'clients/platformatic-responses',
];

export function bearsNeighbours(file: string): boolean {
  return together.some((name) => file === `tests/interop/${name}.test.ts`);
}
