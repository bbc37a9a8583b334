import type { Clock } from '@weir/core';
import { RegistryError } from '../registry-error.ts';
import type { RegistryStore } from '../registry-store.ts';
import { type SchemaFormat, type SchemaType, schemaTypes } from '../schema-format.ts';
import { ExporterService } from './exporter-service.ts';
import { KeyService } from './key-service.ts';
import type {
  CompatibilityAnswer,
  CompatibilityLevel,
  ConfigAnswer,
  ModeAnswer,
  RegisterAnswer,
  RegistryMode,
  SchemaByIdAnswer,
  SubjectVersionAnswer,
} from './registry-answers.ts';
import type {
  CompatibilityQuery,
  DeleteModeQuery,
  DeleteQuery,
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

  constructor(options: RegistryServiceOptions) {
    this.#options = options;
    this.exporters = new ExporterService(options);
    this.keys = new KeyService(options);
  }

  /** Ends the threads that parse and compare large schemas. */
  async end(): Promise<void> {}

  /** `GET /schemas/types` */
  schemaTypes(): readonly SchemaType[] {
    return schemaTypes;
  }

  /** `GET /schemas` */
  async listSchemas(_query: ListSchemasQuery = {}): Promise<SubjectVersionAnswer[]> {
    return later();
  }

  /** `GET /schemas/ids/{id}` */
  async schemaById(_id: number, _query: SchemaByIdQuery = {}): Promise<SchemaByIdAnswer> {
    return later();
  }

  /** `GET /schemas/ids/{id}/schema`: the text alone. */
  async schemaTextById(_id: number, _query: SchemaByIdQuery = {}): Promise<string> {
    return later();
  }

  /** `GET /schemas/ids/{id}/subjects` */
  async subjectsOfId(_id: number, _query: UsesOfIdQuery = {}): Promise<string[]> {
    return later();
  }

  /** `GET /schemas/ids/{id}/versions` */
  async versionsOfId(
    _id: number,
    _query: UsesOfIdQuery = {},
  ): Promise<{ readonly subject: string; readonly version: number }[]> {
    return later();
  }

  /** `GET /schemas/guids/{guid}` */
  async schemaByGuid(_guid: string, _query: { format?: string | undefined } = {}): Promise<SchemaByIdAnswer> {
    return later();
  }

  /** `GET /schemas/guids/{guid}/ids` */
  async idsOfGuid(_guid: string): Promise<{ readonly context: string; readonly id: number }[]> {
    return later();
  }

  /** `GET /subjects` */
  async listSubjects(_query: ListSubjectsQuery = {}): Promise<string[]> {
    return later();
  }

  /** `POST /subjects/{subject}` */
  async lookUpSchema(
    _subject: string,
    _body: unknown,
    _query: LookUpQuery = {},
  ): Promise<SubjectVersionAnswer> {
    return later();
  }

  /** `DELETE /subjects/{subject}` */
  async deleteSubject(_subject: string, _query: DeleteQuery = {}): Promise<number[]> {
    return later();
  }

  /** `GET /subjects/{subject}/metadata` */
  async latestWithMetadata(_subject: string, _query: WithMetadataQuery): Promise<SubjectVersionAnswer> {
    return later();
  }

  /** `GET /subjects/{subject}/versions` */
  async listVersions(_subject: string, _query: ListVersionsQuery = {}): Promise<number[]> {
    return later();
  }

  /** `POST /subjects/{subject}/versions` */
  async register(_subject: string, _body: unknown, _query: RegisterQuery = {}): Promise<RegisterAnswer> {
    return later();
  }

  /** `GET /subjects/{subject}/versions/{version}`. The version is as in the path: a number, `latest` or `-1`. */
  async version(
    _subject: string,
    _version: string,
    _query: VersionQuery = {},
  ): Promise<SubjectVersionAnswer> {
    return later();
  }

  /** `GET /subjects/{subject}/versions/{version}/schema`: the text alone. */
  async versionText(_subject: string, _version: string, _query: VersionQuery = {}): Promise<string> {
    return later();
  }

  /** `GET /subjects/{subject}/versions/{version}/referencedby` */
  async referencedBy(_subject: string, _version: string, _query: ReferencedByQuery = {}): Promise<number[]> {
    return later();
  }

  /** `DELETE /subjects/{subject}/versions/{version}` */
  async deleteVersion(_subject: string, _version: string, _query: DeleteQuery = {}): Promise<number> {
    return later();
  }

  /** `POST /subjects/{subject}/versions/{version}/tags` */
  async modifyTags(_subject: string, _version: string, _body: unknown): Promise<RegisterAnswer> {
    return later();
  }

  /** `POST /compatibility/subjects/{subject}/versions/{version}`; all versions without one. */
  async checkCompatibility(
    _subject: string,
    _version: string | undefined,
    _body: unknown,
    _query: CompatibilityQuery = {},
  ): Promise<CompatibilityAnswer> {
    return later();
  }

  /** `GET /config` and `GET /config/{subject}`. The scope is a subject, or `:.ctx:` for a context. */
  async config(_scope: string | undefined, _query: ScopeQuery = {}): Promise<ConfigAnswer> {
    return later();
  }

  /** `PUT /config` and `PUT /config/{subject}`: returns what the body said. */
  async putConfig(_scope: string | undefined, _body: unknown): Promise<Readonly<Record<string, unknown>>> {
    return later();
  }

  /** `DELETE /config` and `DELETE /config/{subject}`: returns what was deleted. */
  async deleteConfig(_scope: string | undefined): Promise<ConfigAnswer> {
    return later();
  }

  /** `GET /mode` and `GET /mode/{subject}` */
  async mode(_scope: string | undefined, _query: ScopeQuery = {}): Promise<ModeAnswer> {
    return later();
  }

  /** `PUT /mode` and `PUT /mode/{subject}` */
  async putMode(_scope: string | undefined, _body: unknown, _query: PutModeQuery = {}): Promise<ModeAnswer> {
    return later();
  }

  /** `DELETE /mode` and `DELETE /mode/{subject}`: returns what was deleted. */
  async deleteMode(_scope: string | undefined, _query: DeleteModeQuery = {}): Promise<ModeAnswer> {
    return later();
  }

  /** `GET /contexts` */
  async listContexts(_query: ListContextsQuery = {}): Promise<string[]> {
    return later();
  }

  /** `DELETE /contexts/{context}` */
  async deleteContext(_context: string): Promise<void> {
    return later();
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
  deploymentMetadata(): { readonly deployment: Readonly<Record<string, string>> } {
    return { deployment: {} };
  }
}

function later(): never {
  throw new RegistryError('storeError', 'This endpoint is not served yet.');
}
