import type { compatibilityLevels } from '@weir/core';

import type { SchemaReference, SchemaTags, SchemaType } from './schema-format.ts';

/** Tags and properties of a schema. */
export interface Metadata {
  readonly tags?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly properties?: Readonly<Record<string, string>> | undefined;
  readonly sensitive?: readonly string[] | undefined;
}

/** A rule of a data contract. The registry stores and returns rules; serializers of clients execute them. */
export interface Rule {
  readonly name?: string | undefined;
  readonly doc?: string | undefined;
  readonly kind?: string | undefined;
  readonly mode?: string | undefined;
  readonly type?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly expr?: string | undefined;
  readonly onSuccess?: string | undefined;
  readonly onFailure?: string | undefined;
  readonly disabled?: boolean | undefined;
}

export interface RuleSet {
  readonly migrationRules?: readonly Rule[] | undefined;
  readonly domainRules?: readonly Rule[] | undefined;
  readonly encodingRules?: readonly Rule[] | undefined;
  readonly enableAt?: string | undefined;
}

/** What every answer with a schema has. Absent fields are left out of the JSON. */
export interface SchemaAnswer {
  readonly schema: string;
  readonly schemaType: SchemaType;
  readonly references?: readonly SchemaReference[] | undefined;
  readonly metadata?: Metadata | undefined;
  readonly ruleSet?: RuleSet | undefined;
  readonly guid: string;
  /** When the version was registered. The answer to a registration has neither this nor `deleted`. */
  readonly ts?: number | undefined;
  readonly deleted?: boolean | undefined;
}

/** A schema by its id or GUID. */
export interface SchemaByIdAnswer extends SchemaAnswer {
  readonly subject?: string | undefined;
  readonly version?: number | undefined;
  readonly maxId?: number | undefined;
  readonly schemaTags?: readonly SchemaTags[] | undefined;
}

/** A version of a subject. */
export interface SubjectVersionAnswer extends SchemaAnswer {
  readonly subject: string;
  readonly version: number;
  readonly id: number;
  readonly schemaTags?: readonly SchemaTags[] | undefined;
  readonly aliases?: readonly string[] | undefined;
}

/** The answer to a registration. */
export interface RegisterAnswer extends SchemaAnswer {
  readonly id: number;
  readonly version?: number | undefined;
}

export interface CompatibilityAnswer {
  readonly is_compatible: boolean;
  /** Only with `verbose`. */
  readonly messages?: readonly string[] | undefined;
}

export type CompatibilityLevel = (typeof compatibilityLevels)[number];

/** The settings of a scope, as `GET` answers. A `PUT` names the level `compatibility`. */
export interface ConfigAnswer {
  readonly alias?: string | undefined;
  readonly aliasForDeks?: string | undefined;
  readonly normalize?: boolean | undefined;
  readonly validateFields?: boolean | undefined;
  readonly validateNewSchemas?: boolean | undefined;
  readonly validateRules?: boolean | undefined;
  readonly compatibilityLevel?: CompatibilityLevel | undefined;
  readonly compatibilityPolicy?: 'STRICT' | 'LENIENT' | 'LOGICAL' | undefined;
  readonly compatibilityGroup?: string | undefined;
  readonly defaultMetadata?: Metadata | undefined;
  readonly overrideMetadata?: Metadata | undefined;
  readonly defaultRuleSet?: RuleSet | undefined;
  readonly overrideRuleSet?: RuleSet | undefined;
}

export const registryModes = ['READWRITE', 'READONLY', 'READONLY_OVERRIDE', 'IMPORT', 'FORWARD'] as const;
export type RegistryMode = (typeof registryModes)[number];

export interface ModeAnswer {
  readonly mode: RegistryMode;
}

export type AssociationLifecycle = 'STRONG' | 'WEAK';

/** That the keys or values of a resource, such as a topic, have the schemas of a subject. */
export interface AssociationAnswer {
  readonly subject: string;
  readonly guid: string;
  readonly resourceName: string;
  readonly resourceNamespace: string;
  readonly resourceId: string;
  readonly resourceType: string;
  /** `key` or `value`. */
  readonly associationType: string;
  readonly lifecycle: AssociationLifecycle;
  readonly frozen: boolean;
  readonly createTs: number;
  readonly updateTs: number;
}

/** The answer to a request that creates associations. */
export interface AssociationsAnswer {
  readonly resourceName: string;
  readonly resourceNamespace: string;
  readonly resourceId?: string | undefined;
  readonly resourceType: string;
  readonly associations: readonly (Pick<
    AssociationAnswer,
    'subject' | 'associationType' | 'lifecycle' | 'frozen'
  > & { readonly schema?: SubjectVersionAnswer | undefined })[];
}

/** The answers to the requests of a batch, in their order. */
export interface AssociationsBatchAnswer {
  readonly results: readonly (
    | { readonly result: AssociationsAnswer }
    | { readonly error: { readonly error_code: number; readonly message: string } }
  )[];
}

export type ExporterState = 'STARTING' | 'RUNNING' | 'PAUSED' | 'ERROR';

export interface ExporterAnswer {
  readonly name: string;
  readonly contextType: 'AUTO' | 'CUSTOM' | 'NONE' | 'DEFAULT';
  readonly context?: string | undefined;
  readonly subjects: readonly string[];
  readonly subjectRenameFormat?: string | undefined;
  readonly config: Readonly<Record<string, string>>;
}

export interface ExporterStatusAnswer {
  readonly name: string;
  readonly state: ExporterState;
  readonly offset: number;
  readonly ts: number;
  readonly trace?: string | undefined;
}

/** A key-encryption key: only its place in a key-management service, never the key. */
export interface KekAnswer {
  readonly name: string;
  readonly kmsType: string;
  readonly kmsKeyId: string;
  readonly kmsProps?: Readonly<Record<string, string>> | undefined;
  readonly doc?: string | undefined;
  readonly shared: boolean;
  readonly ts: number;
  readonly deleted?: boolean | undefined;
}

/** A data-encryption key, encrypted by its KEK. */
export interface DekAnswer {
  readonly kekName: string;
  readonly subject: string;
  readonly version: number;
  readonly algorithm: string;
  readonly encryptedKeyMaterial?: string | undefined;
  readonly ts: number;
  readonly deleted?: boolean | undefined;
}
