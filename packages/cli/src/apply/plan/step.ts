import type { CallOf, PipelineState } from '@weir/api';
import type { DesiredAgentKey, DesiredCredential } from '../desired.ts';

/**
 * The order in which things are done to one cluster. What others need comes first, and deletions come last, the other way round.
 * Enforcing ACLs waits for the ACLs, because everybody is locked out in between.
 */
export const phases = [
  'cluster',
  'configuration',
  'topics',
  'credentials',
  'acls',
  'acl enforcement',
  'events',
  'pipelines',
  'pipeline configurations',
  'pipeline states',
  'pipeline deletions',
  'acl deletions',
  'credential deletions',
  'topic deletions',
] as const;

export type Phase = (typeof phases)[number];

export type StepKind =
  | 'virtual_cluster'
  | 'tags'
  | 'configuration'
  | 'topic'
  | 'credential'
  | 'agent_key'
  | 'acl'
  | 'events'
  | 'pipeline'
  | 'pipeline_configuration';

/** One field that changes. */
export interface Change {
  readonly field: string;
  /** Nothing, where nothing is known of before. */
  readonly from?: string;
  readonly to: string;
}

interface StepFields {
  readonly kind: StepKind;
  /** The cluster, as people call it. */
  readonly cluster: string;
  /** The thing, as people call it; empty for what a cluster has one of. */
  readonly name: string;
  /** Why, as the end of a sentence that begins with the thing. */
  readonly reason: string;
}

/** Something to do. A step is one call of the API, so that it is done or not done. */
export interface WritingStep extends StepFields {
  readonly action: 'create' | 'update' | 'delete';
  readonly phase: Phase;
  readonly changes: readonly Change[];
  readonly task: Task;
}

/** Something that is left alone: it is as it should be, or it may not be deleted. */
export interface IdleStep extends StepFields {
  readonly action: 'nothing' | 'keep';
}

export type Step = WritingStep | IdleStep;

export function isWriting(step: Step): step is WritingStep {
  return step.action !== 'nothing' && step.action !== 'keep';
}

/** Operations that need nothing but the id of the cluster besides what is known when the plan is made. */
type PlainName =
  | 'update_virtual_cluster_tier'
  | 'update_virtual_cluster_tags'
  | 'update_virtual_cluster_configuration'
  | 'create_topic'
  | 'update_topic'
  | 'delete_topic'
  | 'virtual_clusters/acls/create'
  | 'virtual_clusters/acls/delete'
  | 'delete_virtual_cluster_credentials'
  | 'update_events_state'
  | 'delete_pipeline';

type PlainTask = {
  [Name in PlainName]: {
    readonly operation: Name;
    readonly input: Omit<CallOf<Name>, 'virtual_cluster_id'>;
  };
}[PlainName];

/** What to call, and with what. */
export type Task =
  | PlainTask
  | {
      readonly operation: 'create_virtual_cluster';
      readonly input: CallOf<'create_virtual_cluster'>;
    }
  | { readonly operation: 'create_virtual_cluster_credentials'; readonly credential: DesiredCredential }
  | { readonly operation: 'create_api_key'; readonly agentKey: DesiredAgentKey }
  | { readonly operation: 'delete_api_key'; readonly input: CallOf<'delete_api_key'> }
  | PipelineTask;

/** What is done to pipelines needs ids that earlier steps may have to find out. */
export type PipelineTask =
  | {
      readonly operation: 'create_pipeline';
      readonly input: Omit<CallOf<'create_pipeline'>, 'virtual_cluster_id'>;
    }
  | {
      readonly operation: 'create_pipeline_configuration';
      readonly pipeline: string;
      readonly pipelineId: string | undefined;
      readonly yaml: string;
    }
  | {
      readonly operation: 'change_pipeline_state';
      readonly pipeline: string;
      readonly pipelineId: string | undefined;
      readonly state: PipelineState | undefined;
      /** The configuration that is to be deployed; without an id, the one that was made before. */
      readonly deploys: { readonly configurationId: string | undefined } | undefined;
    };
