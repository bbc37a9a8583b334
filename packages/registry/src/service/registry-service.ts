import type { AllowedHosts } from '@weir/cluster/outbound';
import type { Clock } from '@weir/core';
import { registryLimits } from '../limits.ts';
import type {
  AssociationAnswer,
  AssociationsAnswer,
  AssociationsBatchAnswer,
  CompatibilityAnswer,
  CompatibilityLevel,
  ConfigAnswer,
  ModeAnswer,
  RegisterAnswer,
  RegistryMode,
  SchemaByIdAnswer,
  SubjectVersionAnswer,
} from '../registry-answers.ts';
import { RegistryError } from '../registry-error.ts';
import type { RegistryStore } from '../registry-store.ts';
import { type SchemaFormat, type SchemaType, schemaTypes } from '../schema-format.ts';
import { SchemaPool, type WorkCaller } from '../schema-work/schema-pool.ts';
import { SchemaWork } from '../schema-work/schema-work.ts';
import { contextOfPath } from '../state/qualified-subject.ts';
import { readAssociationBatch, readAssociationQueries, readAssociationsBody } from './association-bodies.ts';
import {
  type AssociationScope,
  changeAssociations,
  deleteAssociations,
  listAssociations,
  mutateAssociations,
  soughtAssociations,
} from './associations.ts';
import { checkMessages } from './compatibility.ts';
import { deleteConfig, getConfig, putConfig, readConfigBody } from './configs.ts';
import { deleteContext, listContexts } from './contexts.ts';
import { Decisions } from './decisions.ts';
import { deleteSubject, deleteVersion } from './delete.ts';
import { ExporterService, type SealSettings } from './exporter-service.ts';
import { KeyService } from './key-service.ts';
import { listSchemas, listSubjects } from './list-schemas.ts';
import { deleteMode, getMode, putMode, readModeBody } from './modes.ts';
import { retaggedSchema } from './modify-tags.ts';
import {
  latestWithMetadata,
  listVersions,
  lookUpSchema,
  readVersion,
  referencedBy,
} from './read-versions.ts';
import { registerSchema } from './register.ts';
import type {
  ChangeAssociationsQuery,
  CompatibilityQuery,
  DeleteAssociationsQuery,
  DeleteModeQuery,
  DeleteQuery,
  GuardedQuery,
  ListAssociationsQuery,
  ListContextsQuery,
  ListSchemasQuery,
  ListSubjectsQuery,
  ListVersionsQuery,
  LookUpQuery,
  MutateAssociationsQuery,
  PutModeQuery,
  ReferencedByQuery,
  RegisterQuery,
  SchemaByIdQuery,
  ScopeQuery,
  SoughtAssociationsQuery,
  UsesOfIdQuery,
  VersionQuery,
  WithMetadataQuery,
} from './registry-queries.ts';
import { type RehearsedChange, type RehearsedOutcome, rehearse } from './rehearsal.ts';
import { readSchemaBody, readTagsBody } from './schema-bodies.ts';
import { idsOfGuid, schemaByGuid, schemaById, subjectsOfId, versionsOfId } from './schemas-by-id.ts';
import { checkScope, normalScope } from './scopes.ts';
import { putSettings } from './settings.ts';
import { changedSubject, parseVersion } from './subject-queries.ts';

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
  /** The hosts that exporters may name. Default: any, because jobs check them again. */
  readonly allowedHosts?: AllowedHosts | undefined;
  /** Returns those of some named secrets that exporters may not use; not checked if absent. */
  readonly unusableSecrets?: ((names: readonly string[]) => Promise<readonly string[]>) | undefined;
  /** Seals secrets in configs of exporters; they are stored as they are if absent. */
  readonly sealSettings?: SealSettings | undefined;
  /** Parses and compares schemas. Default: with the formats, and threads for large schemas. */
  readonly work?: SchemaWork | undefined;
}

/**
 * The registry's API without HTTP: one method per endpoint. Subjects are qualified by their context (`:.ctx:subject`),
 * or in the default one. An answer is the JSON of the response; a refusal is a `RegistryError`. Bodies are JSON values
 * as they arrived, without any check.
 */
export class RegistryService {
  readonly #options: RegistryServiceOptions;
  readonly #work: SchemaWork;
  readonly #decisions: Decisions;
  #exporters: ExporterService | undefined;
  #keys: KeyService | undefined;

  /** With decisions, the service for one request, which a lookup must not pay more for than it uses. */
  constructor(options: RegistryServiceOptions, decisions?: Decisions) {
    const { store, clock, formats } = options;
    this.#work = options.work ?? new SchemaWork({ formats, pool: new SchemaPool({ clock }) });
    this.#options = options.work === undefined ? { ...options, work: this.#work } : options;
    this.#decisions =
      decisions ??
      new Decisions({
        store,
        clock,
        work: this.#work,
        defaults: {
          compatibility: options.defaultCompatibility ?? 'BACKWARD',
          mode: options.defaultMode ?? 'READWRITE',
        },
      });
  }

  /** `/exporters` */
  get exporters(): ExporterService {
    this.#exporters ??= new ExporterService(this.#options);
    return this.#exporters;
  }

  /** `/dek-registry/v1/keks` */
  get keys(): KeyService {
    const { store, clock } = this.#options;
    this.#keys ??= new KeyService({ store, clock, time: this.#decisions.time });
    return this.#keys;
  }

  /** The service for one request. The places for work are shared fairly between clients. */
  forCaller(caller: WorkCaller): RegistryService {
    return new RegistryService(this.#options, this.#decisions.forCaller(caller));
  }

  /** Ends the threads that parse and compare large schemas. */
  async end(): Promise<void> {
    await this.#work.end();
  }

  /** `GET /schemas/types` */
  schemaTypes(): readonly SchemaType[] {
    return schemaTypes;
  }

  /** `GET /schemas` */
  async listSchemas(query: ListSchemasQuery = {}): Promise<Iterable<SubjectVersionAnswer>> {
    return this.#decisions.read((context) => listSchemas(context, query));
  }

  /** `GET /schemas/ids/{id}` */
  async schemaById(id: number, query: SchemaByIdQuery = {}): Promise<SchemaByIdAnswer> {
    return this.#decisions.read((context) => schemaById(context, id, query));
  }

  /** `GET /schemas/ids/{id}/schema`: the text alone. */
  async schemaTextById(id: number, query: SchemaByIdQuery = {}): Promise<string> {
    return (await this.schemaById(id, query)).schema;
  }

  /** `GET /schemas/ids/{id}/subjects` */
  async subjectsOfId(id: number, query: UsesOfIdQuery = {}): Promise<string[]> {
    return this.#decisions.read((context) => subjectsOfId(context, id, query));
  }

  /** `GET /schemas/ids/{id}/versions` */
  async versionsOfId(
    id: number,
    query: UsesOfIdQuery = {},
  ): Promise<{ readonly subject: string; readonly version: number }[]> {
    return this.#decisions.read((context) => versionsOfId(context, id, query));
  }

  /** `GET /schemas/guids/{guid}` */
  async schemaByGuid(
    guid: string,
    query: GuardedQuery & { readonly format?: string | undefined } = {},
  ): Promise<SchemaByIdAnswer> {
    return this.#decisions.read((context) => schemaByGuid(context, guid, query));
  }

  /** `GET /schemas/guids/{guid}/ids` */
  async idsOfGuid(
    guid: string,
    query: GuardedQuery = {},
  ): Promise<{ readonly context: string; readonly id: number }[]> {
    return this.#decisions.read((context) => idsOfGuid(context, guid, query));
  }

  /** `GET /subjects` */
  async listSubjects(query: ListSubjectsQuery = {}): Promise<string[]> {
    return this.#decisions.read((context) => listSubjects(context, query));
  }

  /** `POST /subjects/{subject}` */
  async lookUpSchema(subject: string, body: unknown, query: LookUpQuery = {}): Promise<SubjectVersionAnswer> {
    const sought = readSchemaBody(body);
    return this.#decisions.read((context) => lookUpSchema(context, subject, sought, query));
  }

  /** `DELETE /subjects/{subject}` */
  async deleteSubject(subject: string, query: DeleteQuery = {}): Promise<number[]> {
    return this.#decisions.write((context) =>
      deleteSubject(context, changedSubject(context.state, subject, query), query.permanent === true),
    );
  }

  /** `GET /subjects/{subject}/metadata` */
  async latestWithMetadata(subject: string, query: WithMetadataQuery): Promise<SubjectVersionAnswer> {
    return this.#decisions.read((context) => latestWithMetadata(context, subject, query));
  }

  /** `GET /subjects/{subject}/versions` */
  async listVersions(subject: string, query: ListVersionsQuery = {}): Promise<number[]> {
    return this.#decisions.read((context) => listVersions(context, subject, query));
  }

  /** `POST /subjects/{subject}/versions` */
  async register(subject: string, body: unknown, query: RegisterQuery = {}): Promise<RegisterAnswer> {
    const registered = readSchemaBody(body);
    return this.#decisions.write((context) => registerSchema(context, subject, registered, query));
  }

  /** `GET /subjects/{subject}/versions/{version}`. The version is as in the path: a number, `latest` or `-1`. */
  async version(subject: string, version: string, query: VersionQuery = {}): Promise<SubjectVersionAnswer> {
    return this.#decisions.read((context) => readVersion(context, subject, version, query));
  }

  /** `GET /subjects/{subject}/versions/{version}/schema`: the text alone. */
  async versionText(subject: string, version: string, query: VersionQuery = {}): Promise<string> {
    return (await this.version(subject, version, query)).schema;
  }

  /** `GET /subjects/{subject}/versions/{version}/referencedby` */
  async referencedBy(subject: string, version: string, query: ReferencedByQuery = {}): Promise<number[]> {
    return this.#decisions.read((context) => referencedBy(context, subject, version, query));
  }

  /** `DELETE /subjects/{subject}/versions/{version}` */
  async deleteVersion(subject: string, version: string, query: DeleteQuery = {}): Promise<number> {
    const wanted = parseVersion(version);
    return this.#decisions.write((context) =>
      deleteVersion(context, changedSubject(context.state, subject, query), wanted, query.permanent === true),
    );
  }

  /** `POST /subjects/{subject}/versions/{version}/tags`: registers the version again with other tags and rules. */
  async modifyTags(
    subject: string,
    version: string,
    body: unknown,
    query: GuardedQuery = {},
  ): Promise<RegisterAnswer> {
    const tags = readTagsBody(body);
    return this.#decisions.write((context) => {
      const registered = retaggedSchema(context.state, subject, version, tags, query);
      return registerSchema(context, subject, registered, query);
    });
  }

  /** `POST /compatibility/subjects/{subject}/versions/{version}`; all versions without one. */
  async checkCompatibility(
    subject: string,
    version: string | undefined,
    body: unknown,
    query: CompatibilityQuery = {},
  ): Promise<CompatibilityAnswer> {
    const wanted = version === undefined ? undefined : parseVersion(version);
    const isVerbose = query.verbose === true;
    try {
      const checked = readSchemaBody(body);
      const messages = await this.#decisions.read((context) =>
        checkMessages(context, subject, wanted, checked, query),
      );
      return { is_compatible: messages.length === 0, ...(isVerbose ? { messages } : {}) };
    } catch (error) {
      if (!isVerbose || !(error instanceof RegistryError) || error.error !== 'invalidSchema') throw error;
      return { is_compatible: false, messages: [error.message] };
    }
  }

  /** A unified diff of two schemas for people, both indented; lines beyond `linesMax` are counted only. */
  async diff(
    before: { readonly name: string; readonly type: SchemaType; readonly text: string },
    after: { readonly name: string; readonly type: SchemaType; readonly text: string },
    { linesMax }: { readonly linesMax: number },
  ): Promise<string> {
    const [old, changed] = [before, after].map(({ name, type, text }) => ({
      name,
      type,
      source: { text, references: [] },
    }));
    return this.#decisions.read(({ work }) => work.diff(old!, changed!, linesMax));
  }

  /** What changes would lead to, one after the other. None of them is made. */
  async rehearse(changes: readonly RehearsedChange[]): Promise<RehearsedOutcome[]> {
    const { store, clock } = this.#options;
    return rehearse(changes, { store, clock, contextOf: this.#decisions.attempts() });
  }

  /** `GET /config` and `GET /config/{subject}`. The scope is a subject, or `:.ctx:` for a context. */
  async config(scope: string | undefined, query: ScopeQuery = {}): Promise<ConfigAnswer> {
    return this.#decisions.read((context) =>
      getConfig(context, normalScope(scope), query.defaultToGlobal === true),
    );
  }

  /** `PUT /config` and `PUT /config/{subject}`: returns the config with the names of the body. */
  async putConfig(scope: string | undefined, body: unknown): Promise<Readonly<Record<string, unknown>>> {
    const fields = readConfigBody(body);
    const named = checkScope(scope);
    return this.#decisions.write((context) => putConfig(context, named, fields));
  }

  /** `DELETE /config` and `DELETE /config/{subject}`: returns what was deleted. */
  async deleteConfig(scope: string | undefined): Promise<ConfigAnswer> {
    return this.#decisions.write((context) => deleteConfig(context, normalScope(scope)));
  }

  /** `GET /mode` and `GET /mode/{subject}` */
  async mode(scope: string | undefined, query: ScopeQuery = {}): Promise<ModeAnswer> {
    return this.#decisions.read((context) =>
      getMode(context, normalScope(scope), query.defaultToGlobal === true),
    );
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
    return this.#decisions.write((context) => ({
      changes: putMode(context, named, mode, query.force === true),
      reply: mode === undefined ? {} : { mode },
    }));
  }

  /** `DELETE /mode` and `DELETE /mode/{subject}`: returns what was deleted. */
  async deleteMode(scope: string | undefined, query: DeleteModeQuery = {}): Promise<Partial<ModeAnswer>> {
    this.#checkModesChangeable();
    return this.#decisions.write((context) =>
      deleteMode(context, normalScope(scope), query.recursive === true),
    );
  }

  /** `PUT /config` and `PUT /mode` in one: both are changed, or neither. A body that is absent changes nothing. */
  async putSettings(
    scope: string | undefined,
    bodies: { readonly config?: object | undefined; readonly mode?: object | undefined },
    query: PutModeQuery = {},
  ): Promise<void> {
    const named = checkScope(scope);
    const config = bodies.config === undefined ? undefined : readConfigBody(bodies.config);
    const mode =
      bodies.mode === undefined
        ? undefined
        : { mode: readModeBody(bodies.mode, named), force: query.force === true };
    if (mode !== undefined) this.#checkModesChangeable();
    return this.#decisions.write((context) => putSettings(context, named, { config, mode }));
  }

  /** `GET /associations/subjects/{subject}` and `GET /associations/resources/...` */
  async listAssociations(
    scope: AssociationScope,
    query: ListAssociationsQuery = {},
  ): Promise<AssociationAnswer[]> {
    return this.#decisions.read((context) => listAssociations(context, scope, query));
  }

  /** `POST /associations` */
  async createAssociations(body: unknown, query: ChangeAssociationsQuery = {}): Promise<AssociationsAnswer> {
    const wanted = readAssociationsBody(body, 'CREATE', { isDryRun: query.dryRun === true });
    return this.#decisions.write((context) => changeAssociations(context, 'CREATE', wanted, query));
  }

  /** `PUT /associations/resources/{resourceId}` */
  async putAssociations(
    resourceId: string,
    body: unknown,
    query: ChangeAssociationsQuery = {},
  ): Promise<AssociationsAnswer> {
    const wanted = readAssociationsBody(body, 'UPSERT', { resourceId, isDryRun: query.dryRun === true });
    return this.#decisions.write((context) => changeAssociations(context, 'UPSERT', wanted, query));
  }

  /** `POST /associations:batchGet` */
  async batchGetAssociations(
    body: unknown,
    query: SoughtAssociationsQuery = {},
  ): Promise<AssociationsBatchAnswer> {
    let charsLeft: number = registryLimits.associationBatchSchemaChars;
    return await answeredEach(readAssociationQueries(body), async (sought) => {
      const answer = await this.#decisions.read((context) => soughtAssociations(context, sought, query));
      for (const { schema } of answer.associations) charsLeft -= schema?.schema.length ?? 0;
      if (charsLeft < 0)
        throw new RegistryError('schemaTooLarge', 'The schemas of the batch are too large; request fewer.');
      return answer;
    });
  }

  /** `POST /associations:batchMutate`: each request of the batch is made, or refused, on its own. */
  async batchMutateAssociations(
    body: unknown,
    query: MutateAssociationsQuery = {},
  ): Promise<AssociationsBatchAnswer> {
    const requests = readAssociationBatch(body, query.dryRun === true);
    return await answeredEach(requests, (ops) =>
      this.#decisions.write((context) => mutateAssociations(context, ops, query)),
    );
  }

  /** `DELETE /associations/resources/{id}` */
  async deleteAssociations(resourceId: string, query: DeleteAssociationsQuery = {}): Promise<void> {
    return this.#decisions.write((context) => deleteAssociations(context, resourceId, query));
  }

  /** `GET /contexts` */
  async listContexts(query: ListContextsQuery = {}): Promise<string[]> {
    return this.#decisions.read((context) => listContexts(context, query));
  }

  /** `DELETE /contexts/{context}` */
  async deleteContext(name: string): Promise<void> {
    return this.#decisions.write((context) => deleteContext(context, contextOfPath(name)));
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

  #checkModesChangeable(): void {
    if (this.#options.modesChangeable === false)
      throw new RegistryError('operationNotPermitted', 'Mode changes are not allowed');
  }
}

/** Answers requests one after the other. A refusal is the answer to the one that it is about. */
async function answeredEach<Request>(
  requests: readonly (Request | RegistryError)[],
  answer: (request: Request) => Promise<AssociationsAnswer>,
): Promise<AssociationsBatchAnswer> {
  const results: AssociationsBatchAnswer['results'][number][] = [];
  for (const request of requests) {
    try {
      if (request instanceof RegistryError) throw request;
      results.push({ result: await answer(request) });
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      results.push({ error: { error_code: error.code, message: error.message } });
    }
  }
  return { results };
}
