import type { CallOf, ClusterType, PipelineState, PipelineType } from '@weir/api';
import type { GivenConfiguration } from '@weir/controlplane/pipeline-configuration';
import type { ConfigTexts } from './document/configs.ts';
import type { Place } from './document/problem.ts';

/** What the documents ask for. What they do not mention is `undefined` and stays unchanged. */

export type Acl = CallOf<'virtual_clusters/acls/create'>['acl'];
export type Tier = CallOf<'update_virtual_cluster_tier'>['tier'];

export interface DesiredCluster {
  readonly place: Place;
  /** Without the prefix of its type. */
  readonly name: string;
  /** As the API returns it, with the prefix of its type. */
  readonly fullName: string;
  readonly type: ClusterType;
  readonly workspaceId?: string | undefined;
  readonly tier?: Tier | undefined;
  readonly cloud?: DesiredCloud | undefined;
  /** All tags. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
  readonly configuration?: DesiredConfiguration | undefined;
  readonly topics?: readonly DesiredTopic[] | undefined;
  readonly credentials?: readonly DesiredCredential[] | undefined;
  readonly agentKeys?: readonly DesiredAgentKey[] | undefined;
  readonly acls?: readonly Acl[] | undefined;
  readonly pipelines?: readonly DesiredPipeline[] | undefined;
  readonly events?: DesiredEvents | undefined;
  readonly schemaRegistry?: DesiredRegistry | undefined;
}

interface DesiredCloud {
  readonly provider?: 'aws' | 'gcp' | 'azure' | undefined;
  readonly region?: string | undefined;
  readonly region_group?: string | undefined;
}

export interface DesiredConfiguration {
  readonly place: Place;
  readonly enable_acls?: boolean | undefined;
  readonly enable_acl_shadowing?: boolean | undefined;
  readonly enable_deletion_protection?: boolean | undefined;
  /** All other fields, as configs of the cluster. */
  readonly brokerConfigs: ConfigTexts;
}

export interface DesiredTopic {
  readonly place: Place;
  readonly name: string;
  readonly partitionCount: number;
  /** Includes deletion protection. */
  readonly configs: ConfigTexts;
}

/** Where a secret comes from or goes to. */
export type SecretPlace =
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'file'; readonly path: string }
  /** Neither: it is printed once. */
  | { readonly kind: 'printed' };

export interface DesiredCredential {
  readonly place: Place;
  readonly name: string;
  readonly fullName: string;
  readonly isSuperuser: boolean;
  readonly password: SecretPlace;
}

export interface DesiredAgentKey {
  readonly place: Place;
  readonly name: string;
  readonly fullName: string;
  readonly isReadOnly: boolean;
  readonly key: Exclude<SecretPlace, { readonly kind: 'variable' }>;
}

export interface DesiredPipeline {
  readonly place: Place;
  readonly name: string;
  readonly type: PipelineType;
  readonly state?: PipelineState | undefined;
  /** The configuration to deploy, as written. */
  readonly configuration?: GivenConfiguration | undefined;
}

export interface DesiredEvents {
  readonly enabled?: boolean | undefined;
  readonly event_types?: Readonly<Record<string, DesiredEventType | undefined>> | undefined;
}

interface DesiredEventType {
  readonly enabled?: boolean | undefined;
  readonly retention_period_nanos?: number | bigint | undefined;
}

/** A schema registry. */
export interface DesiredRegistry {
  /** Of the whole registry. */
  readonly settings?: DesiredSettings | undefined;
  readonly contexts?: readonly DesiredSettings[] | undefined;
  readonly subjects?: readonly DesiredSubject[] | undefined;
}

type SettingsCall = CallOf<'update_registry_config'>;

/** What the documents say of a scope; `null` is inherited. */
export interface DesiredSettings {
  readonly place: Place;
  /** A subject, `:.ctx:`, or nothing for the whole registry. */
  readonly scope: string | undefined;
  readonly level?: SettingsCall['compatibility_level'];
  readonly mode?: SettingsCall['mode'];
  readonly normalize?: boolean | undefined;
}

export interface DesiredSubject {
  readonly place: Place;
  /** With its context, unless that is the default one. */
  readonly name: string;
  readonly settings?: DesiredSettings | undefined;
  /** The oldest version first. */
  readonly schemas: readonly DesiredSchema[];
}

type SchemaCall = CallOf<'register_schema'>;

export interface DesiredSchema {
  readonly place: Place;
  readonly subject: string;
  readonly type: NonNullable<SchemaCall['schema_type']>;
  /** Where the text is; absent if the document has it. */
  readonly file?: { readonly name: string; readonly path: string } | undefined;
  /** Empty until the file was read. */
  readonly text: string;
  readonly references: NonNullable<SchemaCall['references']>;
  readonly metadata?: SchemaCall['metadata'];
}
