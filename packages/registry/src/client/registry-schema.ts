import type { SchemaReference, SchemaType } from '../schema-format.ts';

/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** A schema as a registry returns it. What a registry does not report is absent. */
export interface RegistrySchema {
  readonly schema: string;
  readonly schemaType: SchemaType;
  readonly references: readonly SchemaReference[];
  readonly id?: number;
  readonly guid?: string;
  readonly subject?: string;
  readonly version?: number;
  readonly isDeleted?: boolean;
  readonly metadata?: Fields;
  readonly ruleSet?: Fields;
}

/** A schema to register, look up or compare. */
export interface NewSchema {
  readonly schema: string;
  readonly schemaType?: SchemaType;
  readonly references?: readonly SchemaReference[];
  readonly metadata?: Fields;
  readonly ruleSet?: Fields;
  /** Only in mode IMPORT. */
  readonly id?: number;
  /** Only in mode IMPORT. */
  readonly version?: number;
}

export interface SubjectVersion {
  readonly subject: string;
  readonly version: number;
}

/** A config as a registry returns it: `compatibilityLevel` and others. */
export type RegistryConfig = Fields & { readonly compatibilityLevel?: string };
