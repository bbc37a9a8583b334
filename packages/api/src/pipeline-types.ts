import type { ClusterType } from './ids.ts';

interface PipelineTypeRow {
  /** The clusters that have pipelines of the type. */
  readonly clusterType: ClusterType;
  /** Whether a cluster has one at most: two of them would write the same things. */
  readonly isSingle: boolean;
  /** Whether a configuration may come in parts. */
  readonly hasParts: boolean;
}

/** What a pipeline can be. */
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
 * The types that this release can run. An engine that learns to run a type adds it here, and with that pipelines of the
 * type can be started, and no page says any more that they cannot.
 */
export const runnablePipelineTypes: readonly PipelineType[] = [];

/** A note for users who expect pipelines to run; nothing when all of them do. */
export const pipelineEngineNote: string = engineNoteFor(runnablePipelineTypes);

export function engineNoteFor(runnable: readonly PipelineType[]): string {
  const others = pipelineTypeNames.filter((type) => !runnable.includes(type));
  if (others.length === 0) return '';
  if (runnable.length === 0) return 'This release keeps pipelines and has no engine that runs them.';
  return `This release keeps pipelines of the type ${others.join(' or ')} and has no engine that runs them.`;
}
