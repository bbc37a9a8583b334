/**
 * How interop tests share a machine with two cores. They start brokers, JVMs and databases, and mostly wait for
 * clients; but tests of deadlines, memory or request routing must run alone.
 */
export const interopWorkers = 2;

/** Tests that run two at a time. Each passed ten runs in parallel with the others; a new one has to as well. */
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
