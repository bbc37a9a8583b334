import type {
  AssociationAnswer,
  ConfigAnswer,
  DekAnswer,
  ExporterAnswer,
  ExporterState,
  KekAnswer,
  Metadata,
  RegistryMode,
  RuleSet,
} from '../registry-answers.ts';
import type { RegistryChange } from '../registry-change.ts';
import type { SchemaReference, SchemaType } from '../schema-format.ts';

/**
 * The entries of which a registry consists. A value is compact JSON. Stored keys and fields are never renamed; a field
 * may be added if its absence means what older writers meant.
 */
export interface RegistryEntries {
  /** A schema by its id within a context. */
  schema: StoredSchema;
  /** A version of a subject. */
  version: StoredVersion;
  /** A context, and the next id of its schemas. */
  context: StoredContext;
  /** The first id of contexts without an entry. */
  'first-id': StoredFirstId;
  /** Settings of a scope: a subject, `:.ctx:`, or nothing for the default context. */
  config: ConfigAnswer;
  /** The mode of a scope. */
  mode: StoredMode;
  exporter: ExporterAnswer;
  'exporter-status': StoredExporterStatus;
  kek: KekAnswer;
  dek: DekAnswer;
  /** An association of a resource with a subject. */
  association: AssociationAnswer;
}

export interface StoredSchema {
  readonly text: string;
  readonly type: SchemaType;
  readonly references?: readonly SchemaReference[] | undefined;
  readonly metadata?: Metadata | undefined;
  readonly ruleSet?: RuleSet | undefined;
}

interface StoredVersion {
  readonly id: number;
  readonly ts: number;
  readonly deleted?: true | undefined;
}

export interface StoredContext {
  readonly nextId: number;
  /** The context was removed. Its ids are not given out again, because clients cache schemas by id. */
  readonly removed?: true | undefined;
}

interface StoredFirstId {
  readonly firstId: number;
}

interface StoredMode {
  readonly mode: RegistryMode;
}

export interface StoredExporterStatus {
  readonly state: ExporterState;
  readonly offset: number;
  readonly ts: number;
  readonly trace?: string | undefined;
  /** Grows whenever users control the exporter, so that jobs which run it learn of it. */
  readonly generation?: number | undefined;
}

export const entryKeys = {
  schema: (context: string, id: number) => `schema/${id}/${context}`,
  version: (subject: string, version: number) => `version/${version}/${subject}`,
  context: (context: string) => `context/${context}`,
  'first-id': () => 'first-id/',
  config: (scope: string) => `config/${scope}`,
  mode: (scope: string) => `mode/${scope}`,
  exporter: (name: string) => `exporter/${name}`,
  'exporter-status': (name: string) => `exporter-status/${name}`,
  kek: (name: string) => `kek/${name}`,
  dek: ({ kekName, subject, version, algorithm }: DekName) =>
    `dek/${version}/${algorithm}/${kekName}/${subject}`,
  association: ({ associationType, resourceType, resourceId }: AssociationName) =>
    `association/${associationType}/${resourceType}/${resourceId}`,
} as const;

type AssociationName = Pick<AssociationAnswer, 'associationType' | 'resourceType' | 'resourceId'>;

export interface DekName {
  readonly kekName: string;
  readonly subject: string;
  readonly version: number;
  readonly algorithm: string;
}

/** The kind of an entry and what its key says; undefined for a kind of a later release. */
export function parseKey(
  key: string,
): { readonly kind: keyof RegistryEntries; readonly name: string } | undefined {
  const end = key.indexOf('/');
  const kind = key.slice(0, end);
  return Object.hasOwn(entryKeys, kind)
    ? { kind: kind as keyof RegistryEntries, name: key.slice(end + 1) }
    : undefined;
}

/** `12/.ctx`: a number, then any text. */
export function parseNumbered(name: string): { readonly number: number; readonly rest: string } {
  const end = name.indexOf('/');
  return { number: Number(name.slice(0, end)), rest: name.slice(end + 1) };
}

/** Parses what follows `dek/`. Names of KEKs have no slash. */
export function parseDekName(name: string): DekName {
  const { number: version, rest } = parseNumbered(name);
  const [algorithm = '', kekName = ''] = rest.split('/', 2);
  return { version, algorithm, kekName, subject: rest.slice(algorithm.length + kekName.length + 2) };
}

export function put<Kind extends keyof RegistryEntries>(
  kind: Kind,
  key: string,
  value: RegistryEntries[Kind],
): RegistryChange {
  if (!key.startsWith(`${kind}/`)) throw new Error(`the key ${key} is not of a ${kind}`);
  return { key, value: Buffer.from(JSON.stringify(value)) };
}

export function remove(key: string): RegistryChange {
  return { key, value: null };
}

/** Parses a value that `put` wrote. */
export function parseEntry<Kind extends keyof RegistryEntries>(
  _kind: Kind,
  value: Uint8Array,
): RegistryEntries[Kind] {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return JSON.parse(bytes.toString('utf8')) as RegistryEntries[Kind];
}
