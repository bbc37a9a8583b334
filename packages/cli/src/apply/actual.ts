import type { OutputOf, PipelineState, PipelineType } from '@weir/api';
import type { Acl } from './desired.ts';
import type { RegistryItem, RegistryOutcome } from './plan/registry-checks.ts';

/**
 * The actual state, limited to what the documents mention. Kinds that they do not mention are not read and are
 * `undefined`.
 */

export interface ActualCluster {
  readonly id: string;
  readonly tier: string;
  readonly cloudProvider: string;
  readonly region?: string | undefined;
  readonly regionGroup?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly configuration?: ActualConfiguration | undefined;
  readonly topics?: readonly ActualTopic[] | undefined;
  readonly credentials?: readonly ActualCredential[] | undefined;
  readonly agentKeys?: readonly ActualAgentKey[] | undefined;
  readonly acls?: readonly Acl[] | undefined;
  readonly pipelines?: readonly ActualPipeline[] | undefined;
  readonly events?: OutputOf<'get_events_state'> | undefined;
}

export type ActualConfiguration =
  OutputOf<'describe_virtual_cluster_configuration'>['virtual_cluster_configuration'];

export interface ActualTopic {
  readonly name: string;
  readonly partitionCount: number;
  /** Only of topics that may be changed or deleted; deletion protection is one of these configs. */
  readonly configs?: Readonly<Record<string, string | null>> | undefined;
}

type ActualCredential = OutputOf<'list_virtual_cluster_credentials'>['credentials'][number];
export type ActualAgentKey = OutputOf<'list_api_keys'>['api_keys'][number];

export interface ActualPipeline {
  readonly id: string;
  readonly name: string;
  readonly type: PipelineType;
  readonly state: PipelineState;
  readonly deployed?: { readonly id: string; readonly version: number } | undefined;
  /** Why it fails, and on which agent, if it is to run. */
  readonly failure?: string | undefined;
  /** Only of pipelines whose configuration the documents set; oldest first. */
  readonly configurations?: readonly {
    readonly id: string;
    readonly version: number;
    /** Secrets are masked, as in the parts that it was created from. */
    readonly yaml: string;
    readonly parts?: readonly { readonly name: string; readonly yaml: string }[] | undefined;
  }[];
}

/** What the changes that the documents ask for would lead to in a schema registry. */
export interface ActualRegistry {
  /** In the order in which they are done. */
  readonly checks: readonly { readonly item: RegistryItem; readonly outcome: RegistryOutcome }[];
  /** Subjects that are not in the documents, in an order in which they can be deleted. Only for pruning. */
  readonly deletions: readonly string[];
  /** Those that have to stay, and why. */
  readonly kept: readonly { readonly subject: string; readonly reason: string }[];
  /** The control plane cannot check so much at once. */
  readonly isTooLarge: boolean;
}

/** Several clusters with the same name; only an account that spans workspaces sees them. */
interface Namesakes {
  readonly workspaceIds: readonly string[];
}

/** What the API has for one cluster of the documents; `undefined` if the cluster does not exist yet. */
export type Found = ActualCluster | Namesakes | undefined;

/** Prefix of internal topics. */
const internalPrefix = '__';

export function isInternalTopic(name: string): boolean {
  return name.startsWith(internalPrefix);
}
