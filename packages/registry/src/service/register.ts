import { registryLimits } from '../limits.ts';
import { isDescriptor } from '../protobuf/is-descriptor.ts';
import type { ConfigAnswer, RegisterAnswer, RegistryMode } from '../registry-answers.ts';
import type { RegistryChange } from '../registry-change.ts';
import { IncompatibleSchema, RegistryError } from '../registry-error.ts';
import type { TagChanges } from '../schema-format.ts';
import { fingerprint, guidText } from '../state/guid.ts';
import { confluentVersion, withConfluentVersion } from '../state/metadata.ts';
import { contextScope, defaultContext, parseSubject, referencedSubject } from '../state/qualified-subject.ts';
import { entryKeys, put, remove, type StoredSchema } from '../state/registry-entries.ts';
import type { RegistryState, SubjectVersion } from '../state/registry-state.ts';
import { answerOf, formattedText, isFormat } from './answer-parts.ts';
import {
  type CandidateSchema,
  canonicalSchema,
  isLooseMatch,
  type SchemaInput,
  storedSource,
} from './candidate-schema.ts';
import { incompatibilityMessages } from './compatibility.ts';
import type { DecisionContext } from './decision-context.ts';
import { findExact, findVersion, mergedDetails, sameSchemas } from './look-up.ts';
import { refusals, withValidSchema } from './refusals.ts';
import type { RegisterQuery } from './registry-queries.ts';
import type { SchemaBody } from './schema-bodies.ts';
import { checkSubject, configInScope, isImport, isReadOnly, modeInScope, validatesNew } from './scopes.ts';
import { changedSubject } from './subject-queries.ts';

interface RegisterOptions {
  readonly normalize: boolean;
  readonly force: boolean;
}

/** What a registration changes, and the version that has the schema afterwards. */
interface Registration {
  readonly changes: readonly RegistryChange[];
  readonly version: { readonly version: number; readonly id: number };
  readonly schema: StoredSchema;
}

const idMax = 2 ** 31 - 1;
const versionMax = 2 ** 31 - 1;
/**
 * Imports up to this id are followed by the ids of new schemas. Beyond, one import of the largest id would leave none
 * for all other subjects of the context.
 */
const followedIdMax = 2 ** 30;

/** Decides on a registration, and on its answer. */
export function registerSchema(
  context: DecisionContext,
  subject: string,
  body: SchemaBody,
  query: RegisterQuery,
): { readonly changes: readonly RegistryChange[]; readonly reply: RegisterAnswer } {
  const named = checkSubject(changedSubject(context.state, subject, query));
  const options = { normalize: query.normalize === true, force: query.force === true };
  const { changes, version, schema } = register(context, named, body, options);
  const { id, version: number } = version;
  const answer = { id, version: number, ...answerOf(schema, guidText(fingerprint(schema))) };
  const format = isFormat(query.format) ? query.format : formatOfBody(body);
  if (format === undefined) return { changes, reply: answer };
  const { source } = context.resolver.resolve(
    parseSubject(named).context,
    schema.text,
    schema.references ?? [],
  );
  const text = formattedText(context.work, schema.type, source, format);
  return { changes, reply: { ...answer, schema: text } };
}

/**
 * The form of the answer to a body. Clients cache the text of the answer in place of the one that they sent, and those
 * that send a descriptor (Python, .NET) parse it as one: a `.proto` text would break their deserializers.
 */
function formatOfBody({ type, text }: SchemaBody): string | undefined {
  return type === 'PROTOBUF' && text !== undefined && isDescriptor(text) ? 'serialized' : undefined;
}

/** Decides on a registration under a subject. Throws `RegistryError`. */
export function register(
  context: DecisionContext,
  subject: string,
  body: SchemaBody,
  { normalize: isNormalizeAsked, force }: RegisterOptions,
): Registration {
  const { state, defaults } = context;
  const mode = modeInScope(state, defaults, subject);
  const config = configInScope(state, defaults, subject);
  const normalize = !isImport(mode) && (isNormalizeAsked || config.normalize === true);
  const known = registeredVersion(context, subject, body, config, normalize);
  if (known !== undefined) return { changes: [], version: known, schema: storedOf(state, known) };
  checkMode(mode, subject, body);
  const live = state.versions(subject).filter(({ isDeleted }) => !isDeleted);
  const nextVersion = (state.versions(subject).at(-1)?.version ?? 0) + 1;
  const input = schemaInput(context, subject, config, mode, body, live.at(-1), nextVersion);
  const isNew = body.id === undefined && validatesNew(config);
  const schema = canonicalSchema(context, subject, input, {
    normalize,
    isNew,
    validatesFields: config.validateFields === true && !isImport(mode),
  });
  checkReferences(state, subject, schema);
  // Only IMPORT keeps ids. FORWARD takes bodies that name one, and gives the next.
  const wantedId = mode === 'IMPORT' ? body.id : undefined;
  if (body.version === 0) {
    const existing = existingVersion(context, subject, schema, live, wantedId);
    if (existing !== undefined) return { changes: [], version: existing, schema: storedOf(state, existing) };
  }
  if (!isImport(mode) && !force) {
    const messages = incompatibilityMessages(context, config, schema, live);
    if (messages.length > 0) throw new IncompatibleSchema(subject, messages);
  }
  const version = body.version > 0 ? body.version : nextVersion;
  if (version > versionMax)
    throw new RegistryError('operationNotPermitted', `Subject ${subject} has the last possible version.`);
  if (version !== nextVersion && !isImport(mode))
    throw new RegistryError('invalidSchema', 'Version is not one more than previous version');
  return add(context, subject, version, schema, wantedId);
}

/**
 * The version that a body asks for, if the subject has it: then there is nothing to write, and the mode does not count.
 * Producers that register on their own go on when a subject is frozen or imported.
 */
function registeredVersion(
  context: DecisionContext,
  subject: string,
  body: SchemaBody,
  config: ConfigAnswer,
  normalize: boolean,
): SubjectVersion | undefined {
  const { text, id, version } = body;
  const isChanged = body.propagateTags || body.tagsToAdd.length > 0 || body.tagsToRemove.length > 0;
  if (text === undefined || isChanged || hasDefaultsOrOverrides(config)) return undefined;
  const found = findVersion(context, subject, { ...body, text }, { normalize, isDeletedFound: false });
  if (found === undefined) return undefined;
  if (version === -1 && found !== context.state.latest(subject)) return undefined;
  if (version <= 0) return id === undefined || id === found.id ? found : undefined;
  if (id !== found.id) return undefined;
  // The same schema may have been imported under several versions.
  const named = context.state.version(subject, version);
  return named?.id === id && !named.isDeleted ? named : undefined;
}

/** The schemas of a topic alone cannot be referred to. */
function checkReferences(state: RegistryState, subject: string, { references = [] }: StoredSchema): void {
  if (references.length === 0 || state.associations().size === 0) return;
  const { context } = parseSubject(subject);
  const referenced = new Set(references.map((reference) => referencedSubject(context, reference.subject)));
  for (const { lifecycle, subject: owned } of state.associations().values())
    if (lifecycle === 'STRONG' && referenced.has(owned))
      throw new RegistryError(
        'operationNotPermitted',
        `Subject '${owned}' has a strong association and cannot be referenced`,
      );
}

function hasDefaultsOrOverrides(config: ConfigAnswer): boolean {
  const { defaultMetadata, overrideMetadata, defaultRuleSet, overrideRuleSet } = config;
  return [defaultMetadata, overrideMetadata, defaultRuleSet, overrideRuleSet].some(
    (value) => value !== undefined,
  );
}

function checkMode(mode: RegistryMode, subject: string, { id }: SchemaBody): void {
  if (isReadOnly(mode)) throw refusals.readOnly(subject);
  if (id !== undefined && !isImport(mode)) throw refusals.notImport(subject);
  if (id === undefined && mode !== 'READWRITE') throw refusals.notReadWrite(subject);
}

/** Completes a body by what the latest version and the config say. An import is taken as it is. */
function schemaInput(
  context: DecisionContext,
  subject: string,
  config: ConfigAnswer,
  mode: RegistryMode,
  body: SchemaBody,
  latestVersion: SubjectVersion | undefined,
  nextVersion: number,
): SchemaInput {
  const { state } = context;
  if (isImport(mode)) {
    if (body.text === undefined) throw refusals.emptySchema();
    return { ...body, text: body.text };
  }
  const latest = latestVersion === undefined ? undefined : storedOf(state, latestVersion);
  if (body.text === undefined && latest === undefined) throw refusals.emptySchema();
  const base: SchemaInput =
    body.text === undefined
      ? { ...latest!, references: latest!.references ?? [], metadata: body.metadata, ruleSet: body.ruleSet }
      : { ...body, text: body.text };
  const { metadata: merged, ruleSet } = mergedDetails(config, base, latest);
  const isVersioned = body.version !== 0 || confluentVersion(merged) !== undefined;
  const metadata = isVersioned ? withConfluentVersion(merged, nextVersion) : merged;
  return { ...base, text: retagged(context, subject, base, body, latestVersion), metadata, ruleSet };
}

/** The text of a schema with the tags that a body adds and removes, and those of the latest version if it says so. */
function retagged(
  context: DecisionContext,
  subject: string,
  { text, type, references }: SchemaInput,
  { tagsToAdd, tagsToRemove, propagateTags }: SchemaBody,
  latest: SubjectVersion | undefined,
): string {
  const { state, work, resolver } = context;
  const isPropagated = propagateTags && latest !== undefined;
  if (tagsToAdd.length === 0 && tagsToRemove.length === 0 && !isPropagated) return text;
  return withValidSchema(type, () => {
    const retag = (from: string, changes: TagChanges) => {
      const { source } = resolver.resolve(parseSubject(subject).context, from, references);
      return work.retaggedText(type, source, changes);
    };
    const changed = retag(text, { add: tagsToAdd, remove: tagsToRemove });
    if (!isPropagated) return changed;
    const row = state.rowOfVersion(latest);
    const earlier = work.tags(state.schema(row).type, storedSource(context, row));
    return retag(changed, { add: earlier, remove: [] });
  });
}

/** The live version that has the schema already. */
function existingVersion(
  context: DecisionContext,
  subject: string,
  schema: CandidateSchema,
  live: readonly SubjectVersion[],
  wantedId: number | undefined,
): SubjectVersion | undefined {
  const isWanted = (version: SubjectVersion) => wantedId === undefined || version.id === wantedId;
  const exact = findExact(context, subject, schema, false);
  if (exact !== undefined && isWanted(exact)) return exact;
  return live.findLast((version) => isWanted(version) && isLooseMatch(context, schema, version));
}

/** Adds a version, and the schema if the context has none like it. */
function add(
  decision: DecisionContext,
  subject: string,
  version: number,
  candidate: CandidateSchema,
  wantedId: number | undefined,
): Registration {
  const { state, nowMs } = decision;
  const { source: _, print: __, ...schema } = candidate;
  const { context } = parseSubject(subject);
  const same = sameSchemas(decision, subject, candidate);
  const nextId = state.nextId(context);
  const id = wantedId ?? same[0]?.id ?? freeId(state, context);
  const atId = state.row(context, id);
  const isNew = !same.some((row) => row.id === id);
  const replaced = state.version(subject, version);
  const changes: RegistryChange[] = [];
  if (isNew && atId !== undefined)
    throw new RegistryError(
      'operationNotPermitted',
      `Overwrite new schema with id ${id} in context ${contextScope(context)} is not permitted.`,
    );
  if (id < 1 || id > idMax)
    throw new RegistryError('idDoesNotMatch', `The id ${id} is not between 1 and 2^31-1.`);
  if (isNew) {
    const change = put('schema', entryKeys.schema(context, id), schema);
    if (change.value!.length > registryLimits.registryEntryBytesMax)
      throw new RegistryError('schemaTooLarge', 'Register operation failed because schema is too large');
    changes.push(change);
  }
  const isFollowed = wantedId === undefined || id <= followedIdMax;
  if (!state.hasContext(context) || (isFollowed && id >= nextId)) {
    checkContexts(state, context);
    const followingId = isFollowed ? Math.max(nextId, id + 1) : nextId;
    changes.push(put('context', entryKeys.context(context), { nextId: followingId }));
  }
  const tombstones = state
    .versions(subject)
    .filter((older) => older.isDeleted && older.id === id && older.version < version)
    .filter((older) => state.referrers(subject, older.version).length === 0);
  for (const older of tombstones) changes.push(remove(entryKeys.version(subject, older.version)));
  if (replaced === undefined) checkVersions(state, subject, tombstones.length);
  changes.push(put('version', entryKeys.version(subject, version), { id, ts: nowMs }));
  // An import may put another schema in the place of a version.
  if (replaced !== undefined && replaced.id !== id) {
    const row = state.row(context, replaced.id);
    if (row !== undefined && isOnlyUsedBy(row.uses, replaced))
      changes.push(remove(entryKeys.schema(context, replaced.id)));
  }
  return { changes, version: { version, id }, schema };
}

/** The next id that no import has taken. */
function freeId(state: RegistryState, context: string): number {
  let id = state.nextId(context);
  while (state.row(context, id) !== undefined) id++;
  return id;
}

function isOnlyUsedBy(uses: readonly SubjectVersion[], version: SubjectVersion | undefined): boolean {
  return version !== undefined && uses.length === 1 && uses[0] === version;
}

function checkContexts(state: RegistryState, context: string): void {
  if (context === defaultContext || state.hasContext(context)) return;
  if (state.contexts().length > registryLimits.contextsMax)
    throw new RegistryError(
      'operationNotPermitted',
      `The registry has reached its limit of ${registryLimits.contextsMax} contexts; delete empty ones.`,
    );
}

function checkVersions(state: RegistryState, subject: string, removed: number): void {
  if (state.versions(subject).length - removed >= registryLimits.versionsPerSubjectMax)
    throw new RegistryError(
      'operationNotPermitted',
      `Subject ${subject} has reached its limit of ${registryLimits.versionsPerSubjectMax} versions; delete some permanently.`,
    );
}

function storedOf(state: RegistryState, version: SubjectVersion): StoredSchema {
  return state.schema(state.rowOfVersion(version));
}
