import type { CallOf, PipelineState } from '@weir/api';
import type { GivenConfiguration } from '@weir/controlplane/pipeline-configuration';
import type { DesiredAgentKey, DesiredCredential } from '../desired.ts';

/**
 * The order of the changes to one cluster. Dependencies come first; deletions come last, in reverse order. Enforcing
 * ACLs waits for the ACLs, because in between all clients would be locked out. Modes that forbid changes of a registry
 * come last.
 */
export const phases = [
  'cluster',
  'configuration',
  'registry settings',
  'schemas',
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
  'subject deletions',
  'registry modes',
] as const;

export type Phase = (typeof phases)[number];

/** Phases whose steps need those before them: a schema refers to others. */
export const sequentialPhases: ReadonlySet<Phase> = new Set<Phase>(['schemas', 'subject deletions']);

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
  | 'pipeline_configuration'
  | 'schema_registry'
  | 'subject'
  | 'schema';

/** One field that changes. */
export interface Change {
  readonly field: string;
  /** Absent where the previous value is not known. */
  readonly from?: string;
  readonly to: string;
}

interface StepFields {
  readonly kind: StepKind;
  /** The cluster name without the prefix of its type. */
  readonly cluster: string;
  /** The name of the thing; empty if a cluster has only one of its kind. */
  readonly name: string;
  /** The reason, as the end of a sentence that begins with the thing. */
  readonly reason: string;
}

/** A change. A step is one API call, so it either happens or does not. */
export interface WritingStep extends StepFields {
  readonly action: 'create' | 'update' | 'delete';
  readonly phase: Phase;
  readonly changes: readonly Change[];
  /** Of a schema with the version before it. */
  readonly diff?: string;
  readonly task: Task;
}

/** Something that is left unchanged: it is as desired, or it may not be deleted. */
export interface IdleStep extends StepFields {
  readonly action: 'nothing' | 'keep';
}

export type Step = WritingStep | IdleStep;

export function isWriting(step: Step): step is WritingStep {
  return step.action !== 'nothing' && step.action !== 'keep';
}

/** Operations whose input is known when the plan is made, except for the id of the cluster. */
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
  | 'delete_pipeline'
  | 'update_registry_config'
  | 'register_schema'
  | 'delete_subject';

type PlainTask = {
  [Name in PlainName]: {
    readonly operation: Name;
    readonly input: Omit<CallOf<Name>, 'virtual_cluster_id'>;
  };
}[PlainName];

/** The operation and its input. */
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

/** Operations on pipelines need ids that earlier steps may have to find. */
export type PipelineTask =
  | {
      readonly operation: 'create_pipeline';
      readonly input: Omit<CallOf<'create_pipeline'>, 'virtual_cluster_id'>;
    }
  | {
      readonly operation: 'create_pipeline_configuration';
      readonly pipeline: string;
      readonly pipelineId: string | undefined;
      readonly configuration: GivenConfiguration;
    }
  | {
      readonly operation: 'change_pipeline_state';
      readonly pipeline: string;
      readonly pipelineId: string | undefined;
      readonly state: PipelineState | undefined;
      /** The configuration to deploy; without an id, the one that an earlier step created. */
      readonly deploys: { readonly configurationId: string | undefined } | undefined;
    };
