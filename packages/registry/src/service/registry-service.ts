import type { Clock } from '@weir/core';
import { registryLimits } from '../limits.ts';
import type {
  CompatibilityAnswer,
  CompatibilityLevel,
  ConfigAnswer,
  ModeAnswer,
  RegisterAnswer,
  RegistryMode,
  SchemaByIdAnswer,
  SubjectVersionAnswer,
} from '../registry-answers.ts';
import type { RegistryChange } from '../registry-change.ts';
import { RegistryError } from '../registry-error.ts';
import type { RegistryStore } from '../registry-store.ts';
import { type SchemaFormat, type SchemaType, schemaTypes } from '../schema-format.ts';
import { ReferenceResolver } from '../schema-work/resolve-references.ts';
import { SchemaPool } from '../schema-work/schema-pool.ts';
import { SchemaWork, WorkPending, type WorkSession } from '../schema-work/schema-work.ts';
import { fingerprint, guidText, parseGuid } from '../state/guid.ts';
import { mergeRuleSets, withConfluentVersion, withoutRules } from '../state/metadata.ts';
import {
  contextOfPath,
  contextScope,
  defaultContext,
  normalSubject,
  parseSubject,
} from '../state/qualified-subject.ts';
import { entryKeys, put } from '../state/registry-entries.ts';
import type { RegistryState, SchemaRow, SubjectVersion } from '../state/registry-state.ts';
import {
  answerOf,
  formattedText,
  isFormat,
  page,
  qualifiedReferences,
  schemaAnswer,
  tagsAnswer,
  versionAnswer,
} from './answer-parts.ts';
import { canonicalSchema, storedSource } from './candidate-schema.ts';
import { incompatibilityMessages } from './compatibility.ts';
import { deleteConfig, getConfig, putConfig, readConfigBody } from './configs.ts';
import type { DecisionContext } from './decision-context.ts';
import { deleteSubject, deleteVersion } from './delete.ts';
import { ExporterService } from './exporter-service.ts';
import { KeyService } from './key-service.ts';
import { findVersion } from './look-up.ts';
import { deleteMode, getMode, putMode, readModeBody } from './modes.ts';
import { refusals } from './refusals.ts';
import { type Registration, register } from './register.ts';
import type {
  CompatibilityQuery,
  DeleteModeQuery,
  DeleteQuery,
  GuardedQuery,
  ListContextsQuery,
  ListSchemasQuery,
  ListSubjectsQuery,
  ListVersionsQuery,
  LookUpQuery,
  PutModeQuery,
  ReferencedByQuery,
  RegisterQuery,
  SchemaByIdQuery,
  ScopeQuery,
  UsesOfIdQuery,
  VersionQuery,
  WithMetadataQuery,
} from './registry-queries.ts';
import { type RehearsedChange, type RehearsedOutcome, rehearse } from './rehearsal.ts';
import { readSchemaBody, readTagsBody, type SchemaBody } from './schema-bodies.ts';
import { checkScope, checkSubject, configInScope, normalScope, type ScopeDefaults } from './scopes.ts';
import { readFresh, writeFresh } from './store-access.ts';
import {
  aliasesBySubject,
  candidates,
  firstFound,
  hasRule,
  hasVersions,
  isPrefixOf,
  missingVersion,
  namedSubject,
  newest,
  ownValue,
  parseVersion,
  subjectsWithPrefix,
  versionsToCompare,
} from './subject-queries.ts';

export interface RegistryServiceOptions {
  readonly store: RegistryStore;
  readonly formats: Readonly<Record<SchemaType, SchemaFormat>>;
  readonly clock: Clock;
  /** The id of the cluster, in `/v1/metadata/id`. */
  readonly clusterId: string;
  /** The version of the product, in `/v1/metadata/version`. */
  readonly release: string;
  /** The level where no config says another. Default: BACKWARD. */
  readonly defaultCompatibility?: CompatibilityLevel | undefined;
  /** The mode where none is set. Default: READWRITE. */
  readonly defaultMode?: RegistryMode | undefined;
  /** Whether modes may be changed. Default: true. */
  readonly modesChangeable?: boolean | undefined;
  /** Parses and compares schemas. Default: with the formats, and threads for large schemas. */
  readonly work?: SchemaWork | undefined;
}

/**
 * The registry's API without HTTP: one method per endpoint. Subjects are qualified by their context (`:.ctx:subject`),
 * or in the default one. An answer is the JSON of the response; a refusal is a `RegistryError`. Bodies are JSON values
 * as they arrived, without any check.
 */
export class RegistryService {
  /** `/exporters` */
  readonly exporters: ExporterService;
  /** `/dek-registry/v1/keks` */
  readonly keys: KeyService;
  readonly #options: RegistryServiceOptions;
  readonly #defaults: ScopeDefaults;
  readonly #work: SchemaWork;

  constructor(options: RegistryServiceOptions) {
    this.#options = options;
    this.#defaults = {
      compatibility: options.defaultCompatibility ?? 'BACKWARD',
      mode: options.defaultMode ?? 'READWRITE',
    };
    this.#work = options.work ?? new SchemaWork({ formats: options.formats, pool: new SchemaPool(options) });
    this.exporters = new ExporterService(options);
    this.keys = new KeyService(options);
  }

  /** Ends the threads that parse and compare large schemas. */
  async end(): Promise<void> {
    await this.#work.end();
  }

  /** `GET /schemas/types` */
  schemaTypes(): readonly SchemaType[] {
    return schemaTypes;
  }

  /** `GET /schemas`. Each answer is made when it is taken: together they may be larger than memory. */
  async listSchemas(query: ListSchemasQuery = {}): Promise<Iterable<SubjectVersionAnswer>> {
    return this.#read(({ state }) => {
      const { subjectPrefix = '', isAllowed = () => true } = query;
      const aliases = query.aliases === true ? aliasesBySubject(state) : new Map<string, string[]>();
      const subjects = new Set(subjectsWithPrefix(state, subjectPrefix));
      for (const [subject, names] of aliases) {
        if (names.some((name) => isPrefixOf(subjectPrefix, name))) subjects.add(subject);
      }
      const found: SubjectVersion[] = [];
      for (const subject of [...subjects].filter(isAllowed).sort()) {
        const versions = state
          .versions(subject)
          .filter(({ isDeleted }) => query.deleted === true || !isDeleted);
        found.push(...(query.latestOnly === true ? versions.slice(-1) : versions));
      }
      const { ruleType } = query;
      const matching =
        ruleType === undefined || ruleType === '' ? found : found.filter(hasRule(state, ruleType));
      const { listedSchemasMax } = registryLimits;
      const limit = query.limit !== undefined && query.limit > 0 ? query.limit : listedSchemasMax;
      const listed = page(matching, { offset: query.offset, limit: Math.min(limit, listedSchemasMax) });
      return (function* () {
        for (const version of listed) {
          // Another request may have removed it meanwhile.
          if (state.row(parseSubject(version.subject).context, version.id) === undefined) continue;
          const names = aliases.get(version.subject)?.filter(isAllowed) ?? [];
          yield { ...versionAnswer(state, version), ...(names.length === 0 ? {} : { aliases: names }) };
        }
      })();
    });
  }

  /** `GET /schemas/ids/{id}` */
  async schemaById(id: number, query: SchemaByIdQuery = {}): Promise<SchemaByIdAnswer> {
    return this.#read((context) => {
      const { state } = context;
      const { row, use } = this.#rowById(state, id, query);
      const answer = schemaAnswer(state, row);
      return {
        ...(use === undefined ? {} : { subject: use.subject, version: use.version }),
        ...answer,
        ...this.#formatted(context, row, query.format),
        ...qualifiedReferences(row.context, answer, query.referenceFormat),
        ...(query.fetchMaxId === true ? { maxId: state.nextId(row.context) - 1 } : {}),
        ...tagsAnswer(answer, query.findTags),
      };
    });
  }

  /** `GET /schemas/ids/{id}/schema`: the text alone. */
  async schemaTextById(id: number, query: SchemaByIdQuery = {}): Promise<string> {
    const { schema } = await this.schemaById(id, query);
    return schema;
  }

  /** `GET /schemas/ids/{id}/subjects` */
  async subjectsOfId(id: number, query: UsesOfIdQuery = {}): Promise<string[]> {
    return this.#read(({ state }) => {
      const subjects = new Set(this.#usesOfId(state, id, query).map(({ subject }) => subject));
      return page([...subjects], query);
    });
  }

  /** `GET /schemas/ids/{id}/versions` */
  async versionsOfId(
    id: number,
    query: UsesOfIdQuery = {},
  ): Promise<{ readonly subject: string; readonly version: number }[]> {
    return this.#read(({ state }) =>
      page(this.#usesOfId(state, id, query), query).map(({ subject, version }) => ({ subject, version })),
    );
  }

  /** `GET /schemas/guids/{guid}` */
  async schemaByGuid(
    guid: string,
    query: GuardedQuery & { format?: string | undefined } = {},
  ): Promise<SchemaByIdAnswer> {
    return this.#read((context) => {
      const row = this.#rowsOfGuid(context.state, guid, query)[0];
      if (row === undefined) throw refusals.schemaNotFound(guid);
      return { ...schemaAnswer(context.state, row), ...this.#formatted(context, row, query.format) };
    });
  }

  /** `GET /schemas/guids/{guid}/ids` */
  async idsOfGuid(
    guid: string,
    query: GuardedQuery = {},
  ): Promise<{ readonly context: string; readonly id: number }[]> {
    return this.#read(({ state }) =>
      this.#rowsOfGuid(state, guid, query).map(({ context, id }) => ({ context, id })),
    );
  }

  /** `GET /subjects` */
  async listSubjects(query: ListSubjectsQuery = {}): Promise<string[]> {
    return this.#read(({ state }) => {
      const isListed = (subject: string) => {
        if (query.isAllowed?.(subject) === false) return false;
        const isLive = state.latest(subject) !== undefined;
        return query.deletedOnly === true ? !isLive : isLive || query.deleted === true;
      };
      return page(subjectsWithPrefix(state, query.subjectPrefix ?? ':*:').filter(isListed), query);
    });
  }

  /** `POST /subjects/{subject}` */
  async lookUpSchema(subject: string, body: unknown, query: LookUpQuery = {}): Promise<SubjectVersionAnswer> {
    const sought = readSchemaBody(body);
    return this.#read((context) => {
      const { state } = context;
      const named = namedSubject(state, subject);
      const options = {
        normalize: this.#isNormalized(state, named, query),
        isDeletedFound: query.deleted === true,
      };
      const { text } = sought;
      const found =
        text === undefined
          ? undefined
          : firstFound(candidates(state, named, query.isAllowed), (name) =>
              findVersion(context, name, { ...sought, text }, options),
            );
      if (found === undefined) throw this.#missingSchema(state, named, query.deleted === true);
      return {
        ...versionAnswer(state, found),
        ...this.#formatted(context, state.rowOfVersion(found), query.format),
      };
    });
  }

  /** `DELETE /subjects/{subject}` */
  async deleteSubject(subject: string, query: DeleteQuery = {}): Promise<number[]> {
    return this.#write((context) =>
      deleteSubject(context, this.#changed(context.state, subject, query), query.permanent === true),
    );
  }

  /** `GET /subjects/{subject}/metadata` */
  async latestWithMetadata(subject: string, query: WithMetadataQuery): Promise<SubjectVersionAnswer> {
    return this.#read((context) => {
      const { state } = context;
      const named = namedSubject(state, subject);
      const wanted = query.keys
        .slice(0, query.values.length)
        .map((key, index) => [key, query.values[index]] as const);
      const found = state.versions(named).findLast((version) => {
        if (version.isDeleted && query.deleted !== true) return false;
        const properties = state.schema(state.rowOfVersion(version)).metadata?.properties;
        return (
          properties !== undefined && wanted.every(([key, value]) => ownValue(properties, key) === value)
        );
      });
      if (found === undefined) throw this.#missingSchema(state, named, query.deleted === true);
      return {
        ...versionAnswer(state, found),
        ...this.#formatted(context, state.rowOfVersion(found), query.format),
      };
    });
  }

  /** `GET /subjects/{subject}/versions` */
  async listVersions(subject: string, query: ListVersionsQuery = {}): Promise<number[]> {
    return this.#read(({ state }) => {
      const named = namedSubject(state, subject);
      const isDeletedShown = query.deleted === true || query.deletedOnly === true;
      if (!hasVersions(state, named, isDeletedShown)) throw refusals.subjectNotFound(named);
      const versions = state.versions(named).filter(({ isDeleted }) => {
        if (query.deletedAsNegative === true) return true;
        return query.deletedOnly === true ? isDeleted : !isDeleted || query.deleted === true;
      });
      return page(versions, query).map(({ version, isDeleted }) =>
        query.deletedAsNegative === true && isDeleted ? -version : version,
      );
    });
  }

  /** `POST /subjects/{subject}/versions` */
  async register(subject: string, body: unknown, query: RegisterQuery = {}): Promise<RegisterAnswer> {
    const registered = readSchemaBody(body);
    return this.#register(subject, () => registered, query);
  }

  /** `GET /subjects/{subject}/versions/{version}`. The version is as in the path: a number, `latest` or `-1`. */
  async version(subject: string, version: string, query: VersionQuery = {}): Promise<SubjectVersionAnswer> {
    return this.#read((context) => {
      const { state } = context;
      const found = this.#version(state, subject, version, query.deleted === true, query);
      const row = state.rowOfVersion(found);
      const answer = versionAnswer(state, found);
      return {
        ...answer,
        ...this.#formatted(context, row, query.format),
        ...qualifiedReferences(row.context, answer, query.referenceFormat),
        ...tagsAnswer(answer, query.findTags),
      };
    });
  }

  /** `GET /subjects/{subject}/versions/{version}/schema`: the text alone. */
  async versionText(subject: string, version: string, query: VersionQuery = {}): Promise<string> {
    const { schema } = await this.version(subject, version, query);
    return schema;
  }

  /** `GET /subjects/{subject}/versions/{version}/referencedby` */
  async referencedBy(subject: string, version: string, query: ReferencedByQuery = {}): Promise<number[]> {
    return this.#read(({ state }) => {
      const found = this.#version(state, subject, version, true, query);
      const ids = state
        .referrers(found.subject, found.version)
        .filter(({ uses }) => query.deleted === true || uses.some(({ isDeleted }) => !isDeleted))
        .map(({ id }) => id);
      return page(
        ids.sort((a, b) => a - b),
        query,
      );
    });
  }

  /** `DELETE /subjects/{subject}/versions/{version}` */
  async deleteVersion(subject: string, version: string, query: DeleteQuery = {}): Promise<number> {
    const wanted = parseVersion(version);
    return this.#write((context) => {
      const { state } = context;
      const named = this.#changed(state, subject, query);
      const found = wanted === 'latest' ? state.latest(named) : state.version(named, wanted);
      if (found === undefined) throw missingVersion(state, named, wanted, true);
      return deleteVersion(context, named, found, query.permanent === true);
    });
  }

  /** `POST /subjects/{subject}/versions/{version}/tags`: registers the version again with other tags and rules. */
  async modifyTags(
    subject: string,
    version: string,
    body: unknown,
    query: GuardedQuery = {},
  ): Promise<RegisterAnswer> {
    const tags = readTagsBody(body);
    return this.#register(
      subject,
      (state) => {
        const found = this.#version(state, subject, version, false, query);
        const { text, type, references, metadata, ruleSet } = state.schema(state.rowOfVersion(found));
        const named = found.subject;
        const latest = state.latest(named)!;
        const base =
          tags.newVersion === undefined ? latest : (state.version(named, tags.newVersion - 1) ?? latest);
        const merged = mergeRuleSets(state.schema(state.rowOfVersion(base)).ruleSet, tags.rulesToMerge);
        const areRulesChanged = tags.rulesToMerge !== undefined || tags.rulesToRemove !== undefined;
        return {
          text,
          type,
          references: references ?? [],
          metadata: withConfluentVersion(tags.metadata ?? metadata, tags.newVersion ?? 0),
          ruleSet: areRulesChanged
            ? merged && withoutRules(merged, tags.rulesToRemove ?? [])
            : (tags.ruleSet ?? ruleSet),
          id: undefined,
          version: tags.newVersion ?? 0,
          tagsToAdd: tags.tagsToAdd,
          tagsToRemove: tags.tagsToRemove,
          propagateTags: false,
        };
      },
      query,
    );
  }

  /** `POST /compatibility/subjects/{subject}/versions/{version}`; all versions without one. */
  async checkCompatibility(
    subject: string,
    version: string | undefined,
    body: unknown,
    query: CompatibilityQuery = {},
  ): Promise<CompatibilityAnswer> {
    const wanted = version === undefined ? undefined : parseVersion(version);
    try {
      const checked = readSchemaBody(body);
      const messages = await this.#read((context) =>
        this.#messages(context, subject, wanted, checked, query),
      );
      return {
        is_compatible: messages.length === 0,
        ...(query.verbose === true ? { messages } : {}),
      };
    } catch (error) {
      if (query.verbose !== true || !(error instanceof RegistryError) || error.error !== 'invalidSchema')
        throw error;
      return { is_compatible: false, messages: [error.message] };
    }
  }

  /** What changes would lead to, one after the other. None of them is made. */
  async rehearse(changes: readonly RehearsedChange[]): Promise<RehearsedOutcome[]> {
    const work = this.#work.session();
    return rehearse(changes, {
      store: this.#options.store,
      clock: this.#options.clock,
      contextOf: (state) => this.#context(state, work),
    });
  }

  /** `GET /config` and `GET /config/{subject}`. The scope is a subject, or `:.ctx:` for a context. */
  async config(scope: string | undefined, query: ScopeQuery = {}): Promise<ConfigAnswer> {
    return this.#read((context) => getConfig(context, normalScope(scope), query.defaultToGlobal === true));
  }

  /** `PUT /config` and `PUT /config/{subject}`: returns the config with the names of the body. */
  async putConfig(scope: string | undefined, body: unknown): Promise<Readonly<Record<string, unknown>>> {
    const fields = readConfigBody(body);
    const named = checkScope(scope);
    return this.#write((context) => putConfig(context, named, fields));
  }

  /** `DELETE /config` and `DELETE /config/{subject}`: returns what was deleted. */
  async deleteConfig(scope: string | undefined): Promise<ConfigAnswer> {
    return this.#write((context) => deleteConfig(context, normalScope(scope)));
  }

  /** `GET /mode` and `GET /mode/{subject}` */
  async mode(scope: string | undefined, query: ScopeQuery = {}): Promise<ModeAnswer> {
    return this.#read((context) => getMode(context, normalScope(scope), query.defaultToGlobal === true));
  }

  /** `PUT /mode` and `PUT /mode/{subject}`: returns what the body said. */
  async putMode(
    scope: string | undefined,
    body: unknown,
    query: PutModeQuery = {},
  ): Promise<Partial<ModeAnswer>> {
    const named = checkScope(scope);
    const mode = readModeBody(body, named);
    this.#checkModesChangeable();
    return this.#write((context) => ({
      changes: putMode(context, named, mode, query.force === true),
      reply: mode === undefined ? {} : { mode },
    }));
  }

  /** `DELETE /mode` and `DELETE /mode/{subject}`: returns what was deleted. */
  async deleteMode(scope: string | undefined, query: DeleteModeQuery = {}): Promise<Partial<ModeAnswer>> {
    this.#checkModesChangeable();
    return this.#write((context) => deleteMode(context, normalScope(scope), query.recursive === true));
  }

  /** `GET /contexts` */
  async listContexts(query: ListContextsQuery = {}): Promise<string[]> {
    const { contextPrefix = '' } = query;
    return this.#read(({ state }) =>
      page(
        state.contexts().filter((context) => context.startsWith(contextPrefix)),
        query,
      ),
    );
  }

  /** `DELETE /contexts/{context}` */
  async deleteContext(context: string): Promise<void> {
    const named = contextOfPath(context);
    await this.#write(({ state }) => {
      if (state.subjects().some((subject) => parseSubject(subject).context === named))
        throw new RegistryError(
          'contextNotEmpty',
          `The specified context '${contextScope(named)}' is not empty.`,
        );
      const isThere = named !== defaultContext && state.hasContext(named);
      const removed = { nextId: state.nextId(named), removed: true } as const;
      return {
        changes: isThere ? [put('context', entryKeys.context(named), removed)] : [],
        reply: undefined,
      };
    });
  }

  /** `GET /v1/metadata/id` */
  clusterMetadata(): {
    readonly scope: { readonly path: readonly string[]; readonly clusters: Readonly<Record<string, string>> };
    readonly id: string;
  } {
    const { clusterId } = this.#options;
    return {
      scope: { path: [], clusters: { 'kafka-cluster': clusterId, 'schema-registry-cluster': clusterId } },
      id: '',
    };
  }

  /** `GET /v1/metadata/version` */
  versionMetadata(): { readonly version: string; readonly commitId: string } {
    return { version: this.#options.release, commitId: '' };
  }

  /** `GET /v1/metadata/deployment` */
  deploymentMetadata(): { readonly attributes: readonly string[] } {
    return { attributes: [] };
  }

  #register(
    subject: string,
    bodyOf: (state: RegistryState) => SchemaBody,
    query: RegisterQuery,
  ): Promise<RegisterAnswer> {
    return this.#write((context) => {
      const named = checkSubject(this.#changed(context.state, subject, query));
      const options = { normalize: query.normalize === true, force: query.force === true };
      const registration = register(context, named, bodyOf(context.state), options);
      return {
        changes: registration.changes,
        reply: this.#registerAnswer(context, named, registration, query),
      };
    });
  }

  #registerAnswer(
    { resolver, work }: DecisionContext,
    subject: string,
    { version: { id, version, timestampMs }, schema }: Registration,
    { format }: RegisterQuery,
  ): RegisterAnswer {
    const answer = { id, version, ...answerOf(schema, guidText(fingerprint(schema))), ts: timestampMs };
    if (!isFormat(format)) return answer;
    const { source } = resolver.resolve(parseSubject(subject).context, schema.text, schema.references ?? []);
    return { ...answer, schema: formattedText(work, schema.type, source, format) };
  }

  #messages(
    context: DecisionContext,
    subject: string,
    wanted: number | 'latest' | undefined,
    body: SchemaBody,
    query: CompatibilityQuery,
  ): string[] {
    const { state, defaults } = context;
    const named = namedSubject(state, subject);
    const live = state.versions(named).filter(({ isDeleted }) => !isDeleted);
    const compared = versionsToCompare(live, wanted);
    if (body.text === undefined) throw refusals.emptySchema();
    const config = configInScope(state, defaults, named);
    const normalize = query.normalize === true || config.normalize === true;
    const schema = canonicalSchema(context, named, { ...body, text: body.text }, normalize);
    return incompatibilityMessages(context, config, schema, compared);
  }

  /** The subject that a change is about. The right on an alias is none on the subject that it stands for. */
  #changed(state: RegistryState, subject: string, { isAllowed }: GuardedQuery): string {
    const named = namedSubject(state, subject);
    if (named !== normalSubject(subject) && isAllowed?.(named) === false)
      throw new RegistryError(
        'denied',
        `Subject '${subject}' is an alias of a subject on which you do not have the right to do that.`,
      );
    return named;
  }

  #version(
    state: RegistryState,
    subject: string,
    version: string,
    isDeletedFound: boolean,
    { isAllowed }: GuardedQuery,
  ): SubjectVersion {
    const named = namedSubject(state, subject);
    const wanted = parseVersion(version);
    const found = firstFound(candidates(state, named, isAllowed), (name) => {
      const candidate = wanted === 'latest' ? state.latest(name) : state.version(name, wanted);
      return candidate?.isDeleted === true && !isDeletedFound ? undefined : candidate;
    });
    if (found === undefined) throw missingVersion(state, named, wanted, isDeletedFound);
    return found;
  }

  /** A schema by its id in the context of a subject; without one, in the default context, then in all others. */
  #rowById(
    state: RegistryState,
    id: number,
    { subject: given, isAllowed = () => true }: GuardedQuery & { readonly subject?: string | undefined },
  ): { readonly row: SchemaRow; readonly use: SubjectVersion | undefined } {
    if (given === undefined || given === '') {
      const row = firstFound(state.contexts(), (context) => state.row(context, id));
      if (row === undefined) throw refusals.schemaNotFound(id);
      return { row, use: undefined };
    }
    const named = namedSubject(state, given);
    const { context, subject } = parseSubject(named);
    const useOf = (name: string) =>
      newest(state.row(parseSubject(name).context, id)?.uses.filter((use) => use.subject === name) ?? []);
    const use =
      subject === ''
        ? newest(state.row(context, id)?.uses ?? [])
        : (firstFound(candidates(state, named, undefined), useOf) ??
          (context === defaultContext ? newest(state.row(context, id)?.uses ?? []) : undefined));
    if (use === undefined) throw refusals.schemaNotFound(id);
    const row = state.rowOfVersion(use);
    const shown = isAllowed(use.subject)
      ? use
      : newest(row.uses.filter(({ subject: name }) => isAllowed(name)));
    if (shown === undefined) throw refusals.schemaNotFound(id);
    return { row, use: shown };
  }

  #usesOfId(state: RegistryState, id: number, query: UsesOfIdQuery): SubjectVersion[] {
    const { row } = this.#rowById(state, id, { subject: query.subject });
    return row.uses
      .filter(({ isDeleted }) => query.deleted === true || !isDeleted)
      .filter(({ subject }) => query.isAllowed?.(subject) !== false)
      .sort((a, b) => (a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : a.version - b.version));
  }

  /** The same text may refer to different schemas in different contexts. */
  #rowsOfGuid(state: RegistryState, guid: string, { isAllowed = () => true }: GuardedQuery): SchemaRow[] {
    const print = parseGuid(guid);
    const rows = print === undefined ? [] : state.rowsOf(print);
    return rows.filter(({ uses }) => uses.some(({ subject }) => isAllowed(subject)));
  }

  #isNormalized(state: RegistryState, subject: string, query: { normalize?: boolean | undefined }): boolean {
    return query.normalize === true || configInScope(state, this.#defaults, subject).normalize === true;
  }

  #missingSchema(state: RegistryState, subject: string, isDeletedFound: boolean): RegistryError {
    return hasVersions(state, subject, isDeletedFound)
      ? refusals.schemaNotFound()
      : refusals.subjectNotFound(subject);
  }

  /** The text in the format that a request asks for. */
  #formatted(context: DecisionContext, row: SchemaRow, format: string | undefined): { schema?: string } {
    if (!isFormat(format)) return {};
    const { type } = context.state.schema(row);
    return { schema: formattedText(context.work, type, storedSource(context, row), format) };
  }

  #checkModesChangeable(): void {
    if (this.#options.modesChangeable === false)
      throw new RegistryError('operationNotPermitted', 'Mode changes are not allowed');
  }

  #context(state: RegistryState, work: WorkSession): DecisionContext {
    const { clock } = this.#options;
    return {
      state,
      work,
      resolver: new ReferenceResolver(state),
      defaults: this.#defaults,
      nowMs: clock.nowMs(),
    };
  }

  /** Answers from the state at hand, after the work that the answer needs. */
  #read<Reply>(answer: (context: DecisionContext) => Reply): Promise<Reply> {
    const work = this.#work.session();
    return readFresh(this.#options.store, async (state) => {
      for (;;) {
        try {
          return answer(this.#context(state, work));
        } catch (error) {
          if (!(error instanceof WorkPending)) throw error;
          await error.done;
        }
      }
    });
  }

  /** Commits what a decision changes. */
  #write<Reply>(
    decide: (context: DecisionContext) => {
      readonly changes: readonly RegistryChange[];
      readonly reply: Reply;
    },
  ): Promise<Reply> {
    const work = this.#work.session();
    return writeFresh(this.#options.store, (state) => {
      try {
        return decide(this.#context(state, work));
      } catch (error) {
        if (error instanceof WorkPending) return { after: error.done };
        throw error;
      }
    });
  }
}
