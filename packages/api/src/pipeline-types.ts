import type { ClusterType } from './ids.ts';

interface PipelineTypeRow {
  /** The type of clusters that have such pipelines. */
  readonly clusterType: ClusterType;
  /** Whether a cluster has at most one: two would write the same things. */
  readonly isSingle: boolean;
  /** Whether a configuration may be split into parts. */
  readonly hasParts: boolean;
}

/** The types of pipelines. */
export const pipelineTypes = {
  bento: { clusterType: 'byoc', isSingle: false, hasParts: false },
  orbit: { clusterType: 'byoc', isSingle: true, hasParts: false },
  schema_linking: { clusterType: 'byoc_schema_registry', isSingle: true, hasParts: false },
  data_lake: { clusterType: 'byoc_data_lake', isSingle: false, hasParts: true },
} as const satisfies Record<string, PipelineTypeRow>;

export type PipelineType = keyof typeof pipelineTypes;

export const pipelineTypeNames = Object.keys(pipelineTypes) as [PipelineType, ...PipelineType[]];

export const pipelineStates = ['running', 'paused'] as const;
export type PipelineState = (typeof pipelineStates)[number];

/**
 * The types that this release can run. An engine that can run a type adds it here; then pipelines of the type can be
 * started, and the pages no longer say that they cannot.
 */
export const runnablePipelineTypes: readonly PipelineType[] = [
  'bento',
  'orbit',
  'schema_linking',
  'data_lake',
];

/** A note for users who expect pipelines to run; empty when all types run. */
export const pipelineEngineNote: string = engineNoteFor(runnablePipelineTypes);

export function engineNoteFor(runnable: readonly PipelineType[]): string {
  const others = pipelineTypeNames.filter((type) => !runnable.includes(type));
  if (others.length === 0) return '';
  if (runnable.length === 0) return 'This release keeps pipelines and has no engine that runs them.';
  return `This release keeps pipelines of the type ${others.join(' or ')} and has no engine that runs them.`;
}
