import type { PipelineFacts, PipelineInstanceFacts } from './diagnostic-snapshot.ts';

/** Single failures are those of agents and peers, and pass. */
export const failuresMin = 3;

/** The one with the most failures in a row. */
export function worstInstance(
  instances: readonly PipelineInstanceFacts[],
): PipelineInstanceFacts | undefined {
  return instances.toSorted((a, b) => b.failureCount - a.failureCount)[0];
}

/** A pipeline with one instance needs no number. */
export function instanceName(
  { instanceCount, type }: Pick<PipelineFacts, 'instanceCount' | 'type'>,
  { instance }: Pick<PipelineInstanceFacts, 'instance'>,
): string {
  if (type === 'schema_linking') return 'its sync';
  return instanceCount === 1 ? 'its instance' : `instance ${instance} of ${instanceCount}`;
}
