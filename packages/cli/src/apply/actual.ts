import type { OutputOf, PipelineState, PipelineType } from '@weir/api';
import type { Acl } from './desired.ts';

/** What there is, as far as the documents speak of it. Kinds that they do not mention are not asked for, and `undefined`. */

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
  /** Of topics that may be changed or deleted, and whether they may is among them. */
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
  /** Of pipelines whose configuration the documents say, the oldest first. */
  readonly configurations?: readonly {
    readonly id: string;
    readonly version: number;
    readonly yaml: string;
  }[];
}

/** Several clusters of one name, which only an account that spans workspaces sees. */
interface Namesakes {
  readonly workspaceIds: readonly string[];
}

/** What was found for one cluster of the documents; nothing when it is not there yet. */
export type Found = ActualCluster | Namesakes | undefined;

/** The beginning of the names of topics that belong to the service. */
const internalPrefix = '__';

export function isInternalTopic(name: string): boolean {
  return name.startsWith(internalPrefix);
}
