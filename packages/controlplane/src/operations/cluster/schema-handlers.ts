import type { ErrorCode, InputOf, OutputOf } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import {
  RegistryError,
  type RegistryErrorName,
  type RegistryService,
  readViolations,
  type SchemaAnswer,
  type SubjectVersionAnswer,
} from '@weir/registry';
import type { CallContext } from '../call-context.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { pageOf } from './cursors.ts';
import { checkChanges } from './registry-changes.ts';
import { bodyOf, diffOf, givenFields, shortViolations } from './schema-fields.ts';
import type { ClusterServices } from './services.ts';
import { byText } from './wire-values.ts';

type RegistryConfig = OutputOf<'describe_registry_config'>;

export type SchemaHandlers = ReturnType<typeof schemaHandlers>;

export function schemaHandlers({ registries }: Pick<ClusterServices, 'registries'>) {
  /** Runs work on the registry of a cluster; its refusals are those of the operation. */
  const onRegistry = <Result>(
    clusterId: string,
    { actorName: client, stop: signal }: CallContext,
    work: (registry: RegistryService) => Promise<Result>,
  ) => orRefused(() => registries.use(clusterId, (registry) => work(registry.forCaller({ client, signal }))));

  return {
    list_subjects: (input, context) =>
      onRegistry(input.virtual_cluster_id, context, async (registry) => {
        const deleted = input.include_deleted;
        const names = await registry.listSubjects({
          ...(input.subject_prefix === undefined ? {} : { subjectPrefix: input.subject_prefix }),
          deleted,
        });
        const { items, nextCursor } = pageOf(names.sort(byText), input, (name) => ({ number: 0, name }));
        const subjects = await Promise.all(items.map((name) => listed(registry, name, deleted)));
        // A subject may be deleted between the two reads.
        return { subjects: subjects.filter((one) => one !== undefined), next_cursor: nextCursor };
      }),

    describe_schema: (input, context) =>
      onRegistry(input.virtual_cluster_id, context, async (registry) => {
        const found = await findSchema(registry, input);
        const deleted = input.include_deleted;
        const { answer, subject, version } = found;
        const [versions, level, mode, referencedBy] = await Promise.all([
          subject === undefined ? [] : orNone(registry.listVersions(subject, { deleted }), []),
          subject === undefined ? undefined : registry.config(subject, { defaultToGlobal: true }),
          subject === undefined ? undefined : registry.mode(subject, { defaultToGlobal: true }),
          subject === undefined || version === undefined ? [] : referencesTo(registry, subject, version),
        ]);
        return {
          subject: subject ?? null,
          version: version ?? null,
          schema_id: found.id ?? null,
          guid: answer.guid,
          schema_type: answer.schemaType,
          schema: answer.schema,
          references: (answer.references ?? []).map(({ name, subject: of, version: at }) => ({
            name,
            subject: of,
            version: at,
          })),
          referenced_by: referencedBy,
          used_by: found.usedBy.slice(0, apiLimits.schemaUsersMax),
          versions: versions.slice(-apiLimits.schemaUsersMax),
          compatibility_level: level?.compatibilityLevel ?? null,
          mode: mode?.mode ?? null,
          is_deleted: answer.deleted ?? false,
        };
      }),

    check_schema_compatibility: (input, context) =>
      onRegistry(input.virtual_cluster_id, context, (registry) => checkCompatibility(registry, input)),

    check_registry_changes: (input, context) =>
      onRegistry(input.virtual_cluster_id, context, (registry) => checkChanges(registry, input.changes)),

    register_schema: (input, context) =>
      onRegistry(input.virtual_cluster_id, context, async (registry) => {
        const { subject, normalize } = input;
        const made = await registry.register(subject, bodyOf(input), { normalize });
        const version =
          made.version ?? (await registry.lookUpSchema(subject, bodyOf(input), { normalize })).version;
        return { schema_id: made.id, version, guid: made.guid };
      }),

    delete_subject: ({ virtual_cluster_id, subject, permanent }, context) =>
      onRegistry(virtual_cluster_id, context, async (registry) => {
        const versions = await registry.deleteSubject(subject, { permanent });
        return { versions: versions.slice(-apiLimits.schemaUsersMax) };
      }),

    delete_schema_version: ({ virtual_cluster_id, subject, version, permanent }, context) =>
      onRegistry(virtual_cluster_id, context, async (registry) => ({
        version: await registry.deleteVersion(subject, String(version), { permanent }),
      })),

    describe_registry_config: ({ virtual_cluster_id, subject }, context) =>
      onRegistry(virtual_cluster_id, context, (registry) => describeConfig(registry, subject)),

    update_registry_config: (input, context) =>
      onRegistry(input.virtual_cluster_id, context, async (registry) => {
        const { subject, mode, force, compatibility_level: compatibility, alias, normalize } = input;
        // Fields that are left out stay, and `null` unsets one.
        const config = givenFields({ compatibility, alias, normalize });
        await registry.putSettings(
          subject,
          { config, mode: mode === undefined ? undefined : { mode } },
          { force },
        );
        return describeConfig(registry, input.subject);
      }),
  } satisfies SomeHandlers;
}

async function listed(
  registry: RegistryService,
  subject: string,
  deleted: boolean,
): Promise<OutputOf<'list_subjects'>['subjects'][number] | undefined> {
  const latest = await orNone<SubjectVersionAnswer | undefined>(
    latestVersion(registry, subject, deleted),
    undefined,
  );
  if (latest === undefined) return undefined;
  const versions = await orNone(registry.listVersions(subject, { deleted }), []);
  const { compatibilityLevel } = await registry.config(subject, { defaultToGlobal: true });
  return {
    subject,
    schema_type: latest.schemaType,
    latest_version: latest.version,
    latest_id: latest.id,
    version_count: versions.length,
    reference_count: latest.references?.length ?? 0,
    compatibility_level: compatibilityLevel ?? 'BACKWARD',
    is_deleted: latest.deleted ?? false,
  };
}

/** The last version of a subject; of one whose versions are all deleted, the last of these if they are asked for. */
async function latestVersion(
  registry: RegistryService,
  subject: string,
  deleted: boolean,
): Promise<SubjectVersionAnswer> {
  const latest = await orNone<SubjectVersionAnswer | undefined>(
    registry.version(subject, 'latest'),
    undefined,
  );
  if (latest !== undefined) return latest;
  const versions = await registry.listVersions(subject, { deleted });
  return registry.version(subject, String(versions.at(-1) ?? 'latest'), { deleted });
}

interface FoundSchema {
  readonly answer: SchemaAnswer;
  readonly id?: number | undefined;
  readonly subject?: string | undefined;
  readonly version?: number | undefined;
  readonly usedBy: readonly { readonly subject: string; readonly version: number }[];
}

async function findSchema(
  registry: RegistryService,
  { subject, version, schema_id, guid, include_deleted: deleted }: InputOf<'describe_schema'>,
): Promise<FoundSchema> {
  if (guid === undefined && schema_id === undefined) {
    const answer =
      version === undefined
        ? await latestVersion(registry, subject!, deleted)
        : await registry.version(subject!, String(version), { deleted });
    const usedBy = await orNone(registry.versionsOfId(answer.id, { subject: subject!, deleted }), []);
    return { answer, id: answer.id, subject: answer.subject, version: answer.version, usedBy };
  }
  const place = guid === undefined ? undefined : (await registry.idsOfGuid(guid))[0];
  const id = schema_id ?? place?.id;
  const scope = subject ?? (place === undefined || place.context === '.' ? undefined : `:${place.context}:`);
  const answer =
    guid === undefined
      ? await registry.schemaById(id!, { subject: scope })
      : await registry.schemaByGuid(guid);
  const usedBy =
    id === undefined ? [] : await orNone(registry.versionsOfId(id, { subject: scope, deleted }), []);
  const use = usedBy.findLast((one) => one.subject === (subject ?? usedBy[0]?.subject)) ?? usedBy[0];
  return { answer, id, subject: use?.subject, version: use?.version, usedBy };
}

/** Ids that are looked up to find the versions which refer to a schema. */
const referringIdsMax = 100;

async function referencesTo(registry: RegistryService, subject: string, version: number) {
  const ids = await orNone(registry.referencedBy(subject, String(version), { limit: referringIdsMax }), []);
  const users = await Promise.all(ids.map((id) => orNone(registry.versionsOfId(id, { subject }), [])));
  return users.flat().slice(0, apiLimits.schemaUsersMax);
}

async function checkCompatibility(
  registry: RegistryService,
  input: InputOf<'check_schema_compatibility'>,
): Promise<OutputOf<'check_schema_compatibility'>> {
  const { subject, version, normalize } = input;
  const body = bodyOf(input);
  // Refuses a text that is no schema, where the check would only call it incompatible.
  const registered = await orNone(registry.lookUpSchema(subject, body, { normalize }), undefined);
  const { is_compatible, messages = [] } = await registry.checkCompatibility(
    subject,
    version === undefined ? undefined : String(version),
    body,
    { verbose: true, normalize },
  );
  const { violations, oldVersion } = readViolations(messages);
  const compared = await orNone<SubjectVersionAnswer | undefined>(
    registry.version(subject, String(oldVersion ?? version ?? 'latest')),
    undefined,
  );
  const { compatibilityLevel } = await registry.config(subject, { defaultToGlobal: true });
  return {
    is_compatible,
    compatibility_level: compatibilityLevel ?? 'BACKWARD',
    is_registered: registered !== undefined,
    compared_version: compared?.version ?? null,
    violations: shortViolations(violations),
    diff: compared === undefined ? '' : await diffOf(registry, compared, input.schema_type, input.schema),
  };
}

async function describeConfig(
  registry: RegistryService,
  subject: string | undefined,
): Promise<RegistryConfig> {
  const [config, mode, [own]] = await Promise.all([
    registry.config(subject, { defaultToGlobal: true }),
    registry.mode(subject, { defaultToGlobal: true }),
    // A change of nothing, to learn what the scope says itself.
    registry.rehearse([{ kind: 'config', scope: subject, body: {} }]),
  ]);
  return {
    compatibility_level: config.compatibilityLevel ?? 'BACKWARD',
    mode: mode.mode,
    own_compatibility_level: own?.ownConfig?.compatibilityLevel ?? null,
    own_mode: own?.ownMode ?? null,
    // An alias belongs to one subject, and is not inherited.
    alias: own?.ownConfig?.alias ?? null,
    normalize: config.normalize ?? false,
  };
}

/** Errors that say that something does not exist. */
const missing: ReadonlySet<RegistryErrorName> = new Set([
  'subjectNotFound',
  'versionNotFound',
  'schemaNotFound',
  'subjectHasNoConfig',
  'subjectHasNoMode',
] as const);

async function orNone<Result>(work: Promise<Result>, none: Result): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RegistryError && missing.has(error.error)) return none;
    throw error;
  }
}

const codes = {
  subjectNotFound: 'not_found',
  versionNotFound: 'not_found',
  schemaNotFound: 'not_found',
  subjectHasNoConfig: 'not_found',
  subjectHasNoMode: 'not_found',
  subjectSoftDeleted: 'conflict',
  subjectNotSoftDeleted: 'conflict',
  versionSoftDeleted: 'conflict',
  versionNotSoftDeleted: 'conflict',
  incompatible: 'incompatible_schema',
  invalidSchema: 'invalid_schema',
  invalidVersion: 'invalid_request',
  invalidCompatibilityLevel: 'invalid_request',
  invalidMode: 'invalid_request',
  operationNotPermitted: 'conflict',
  referenceExists: 'conflict',
  idDoesNotMatch: 'conflict',
  invalidSubject: 'invalid_request',
  schemaTooLarge: 'payload_too_large',
  invalidRuleSet: 'invalid_request',
  contextNotEmpty: 'conflict',
  storeError: 'unavailable',
  timeout: 'unavailable',
  forwardingFailed: 'unavailable',
  noLeader: 'unavailable',
} as const satisfies Partial<Record<RegistryErrorName, ErrorCode>>;

async function orRefused<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const code = (codes as Partial<Record<RegistryErrorName, ErrorCode>>)[error.error] ?? 'conflict';
    throw new OperationFailed(code, error.message, { cause: error });
  }
}
