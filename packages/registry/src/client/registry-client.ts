import {
  compatibilityIn,
  configIn,
  contextIdsIn,
  fieldsIn,
  integerIn,
  integersIn,
  schemaIn,
  subjectVersionsIn,
  textsIn,
} from './answer-shapes.ts';
import { RegistryRefusal } from './client-error.ts';
import { type RegistryClientOptions, RegistryConnection } from './registry-connection.ts';
import type { Fields, NewSchema, RegistryConfig, RegistrySchema, SubjectVersion } from './registry-schema.ts';

type Version = number | 'latest';

interface CallOptions {
  readonly stop?: AbortSignal | undefined;
}

/** Which versions a list has: live ones, also soft-deleted ones, or only these. */
interface DeletedOptions extends CallOptions {
  readonly deleted?: boolean;
  readonly deletedOnly?: boolean;
}

/** Codes of answers that say that something does not exist. A 404 without them comes from something else. */
const missing = new Set([40401, 40402, 40403, 40404, 40406, 40408, 40409]);

/**
 * Client of any registry with the API of Confluent Schema Registry. Subjects may be qualified by a context
 * (`:.context:subject`).
 *
 * Methods throw `RegistryRefusal` for an error of the registry and `RegistryUnavailable` if there is no usable answer.
 * Those that read one thing return `undefined` if the registry says that it does not exist.
 */
export class RegistryClient {
  readonly #connection: RegistryConnection;

  /** Throws `InvalidRegistryAddress`. */
  constructor(options: RegistryClientOptions) {
    this.#connection = new RegistryConnection(options);
  }

  /** The address that was used last, for messages. */
  get place(): string {
    return this.#connection.place;
  }

  close(): void {
    this.#connection.close();
  }

  /** Without a prefix, the subjects of all contexts. */
  async subjects({
    prefix,
    deleted,
    deletedOnly,
    stop,
  }: DeletedOptions & { prefix?: string } = {}): Promise<readonly string[]> {
    const query = { subjectPrefix: prefix, deleted, deletedOnly };
    return textsIn(await this.#read('/subjects', query, stop)) ?? this.#fail();
  }

  async versions(
    subject: string,
    { deleted, deletedOnly, stop }: DeletedOptions = {},
  ): Promise<readonly number[] | undefined> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions`;
    return await this.#readIfExists(path, { deleted, deletedOnly }, stop, integersIn);
  }

  async schemaOfVersion(
    subject: string,
    version: Version,
    { deleted, stop }: { deleted?: boolean } & CallOptions = {},
  ): Promise<RegistrySchema | undefined> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions/${version}`;
    return await this.#readIfExists(path, { deleted }, stop, schemaIn);
  }

  /** `subject` selects the context. Without it all are searched. */
  async schemaById(
    id: number,
    { subject, stop }: { subject?: string } & CallOptions = {},
  ): Promise<RegistrySchema | undefined> {
    return await this.#readIfExists(`/schemas/ids/${id}`, { subject }, stop, schemaIn);
  }

  async schemaByGuid(guid: string, { stop }: CallOptions = {}): Promise<RegistrySchema | undefined> {
    return await this.#readIfExists(`/schemas/guids/${encodeURIComponent(guid)}`, {}, stop, schemaIn);
  }

  /** The ids of a schema, one per context. */
  async idsOfGuid(
    guid: string,
    { stop }: CallOptions = {},
  ): Promise<readonly { readonly context: string; readonly id: number }[] | undefined> {
    const path = `/schemas/guids/${encodeURIComponent(guid)}/ids`;
    return await this.#readIfExists(path, {}, stop, contextIdsIn);
  }

  /** Versions that have the schema of an id. */
  async versionsOfId(
    id: number,
    { subject, deleted, stop }: { subject?: string; deleted?: boolean } & CallOptions = {},
  ): Promise<readonly SubjectVersion[] | undefined> {
    return await this.#readIfExists(
      `/schemas/ids/${id}/versions`,
      { subject, deleted },
      stop,
      subjectVersionsIn,
    );
  }

  /** Schemas of all subjects with a prefix, in pages. */
  async schemas({
    prefix,
    deleted,
    latestOnly,
    offset,
    limit,
    stop,
  }: {
    prefix?: string;
    deleted?: boolean;
    latestOnly?: boolean;
    offset?: number;
    limit?: number;
  } & CallOptions = {}): Promise<readonly RegistrySchema[]> {
    const query = { subjectPrefix: prefix, deleted, latestOnly, offset, limit };
    const answer = await this.#read('/schemas', query, stop);
    if (!Array.isArray(answer)) throw this.#unexpected();
    return answer.map((one) => schemaIn(one) ?? this.#fail());
  }

  async contexts({ stop }: CallOptions = {}): Promise<readonly string[]> {
    return textsIn(await this.#read('/contexts', {}, stop)) ?? this.#fail();
  }

  /** Without a subject, the config of all. */
  async config(
    subject?: string,
    { defaultToGlobal, stop }: { defaultToGlobal?: boolean } & CallOptions = {},
  ): Promise<RegistryConfig | undefined> {
    return await this.#readIfExists(`/config${suffixOf(subject)}`, { defaultToGlobal }, stop, configIn);
  }

  async mode(
    subject?: string,
    { defaultToGlobal, stop }: { defaultToGlobal?: boolean } & CallOptions = {},
  ): Promise<string | undefined> {
    return await this.#readIfExists(`/mode${suffixOf(subject)}`, { defaultToGlobal }, stop, (answer) => {
      const mode = fieldsIn(answer)?.mode;
      return typeof mode === 'string' ? mode : undefined;
    });
  }

  /** Returns the version of the subject that has the schema. */
  async lookup(
    subject: string,
    schema: NewSchema,
    { deleted, normalize, stop }: { deleted?: boolean; normalize?: boolean } & CallOptions = {},
  ): Promise<RegistrySchema | undefined> {
    return await this.#ifExists(async () => {
      const answer = await this.#connection.request({
        method: 'POST',
        path: `/subjects/${encodeURIComponent(subject)}`,
        query: { deleted, normalize },
        body: schema,
        isRead: true,
        stop,
      });
      return schemaIn(answer);
    });
  }

  /** Compares with one version, or with all that the level of the subject names. */
  async compatibility(
    subject: string,
    version: Version | 'all',
    schema: NewSchema,
    { normalize, stop }: { normalize?: boolean } & CallOptions = {},
  ): Promise<{ readonly isCompatible: boolean; readonly messages: readonly string[] }> {
    const suffix = version === 'all' ? '' : `/${version}`;
    const answer = await this.#connection.request({
      method: 'POST',
      path: `/compatibility/subjects/${encodeURIComponent(subject)}/versions${suffix}`,
      query: { verbose: true, normalize },
      body: schema,
      isRead: true,
      stop,
    });
    return compatibilityIn(answer) ?? this.#fail();
  }

  /** Registers a schema, or finds it. The version is absent if the registry does not report it. */
  async register(
    subject: string,
    schema: NewSchema,
    { normalize, stop }: { normalize?: boolean } & CallOptions = {},
  ): Promise<{ readonly id: number; readonly version?: number; readonly guid?: string }> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions`;
    const answer = fieldsIn(await this.#change('POST', path, { normalize }, schema, stop)) ?? this.#fail();
    const { id, version, guid } = answer;
    if (!Number.isSafeInteger(id)) throw this.#unexpected();
    return {
      id: id as number,
      ...(Number.isSafeInteger(version) ? { version: version as number } : {}),
      ...(typeof guid === 'string' ? { guid } : {}),
    };
  }

  /** Returns the versions that were deleted. A permanent deletion needs a soft one before it. */
  async deleteSubject(
    subject: string,
    { permanent, stop }: { permanent?: boolean } & CallOptions = {},
  ): Promise<readonly number[]> {
    const path = `/subjects/${encodeURIComponent(subject)}`;
    return integersIn(await this.#change('DELETE', path, { permanent }, undefined, stop)) ?? this.#fail();
  }

  async deleteVersion(
    subject: string,
    version: Version,
    { permanent, stop }: { permanent?: boolean } & CallOptions = {},
  ): Promise<number> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions/${version}`;
    return integerIn(await this.#change('DELETE', path, { permanent }, undefined, stop)) ?? this.#fail();
  }

  /** `config` has the name `compatibility` for the level. Without a subject, the config of all. */
  async putConfig(config: Fields, subject?: string, { stop }: CallOptions = {}): Promise<void> {
    await this.#change('PUT', `/config${suffixOf(subject)}`, {}, config, stop);
  }

  async deleteConfig(subject?: string, { stop }: CallOptions = {}): Promise<void> {
    await this.#change('DELETE', `/config${suffixOf(subject)}`, {}, undefined, stop);
  }

  /** `force` allows mode IMPORT where there are subjects. */
  async putMode(
    mode: string,
    subject?: string,
    { force, stop }: { force?: boolean } & CallOptions = {},
  ): Promise<void> {
    await this.#change('PUT', `/mode${suffixOf(subject)}`, { force }, { mode }, stop);
  }

  async deleteMode(subject?: string, { stop }: CallOptions = {}): Promise<void> {
    await this.#change('DELETE', `/mode${suffixOf(subject)}`, {}, undefined, stop);
  }

  async #read(
    path: string,
    query: Readonly<Record<string, string | number | boolean | undefined>>,
    stop: AbortSignal | undefined,
  ): Promise<unknown> {
    return await this.#connection.request({ method: 'GET', path, query, isRead: true, stop });
  }

  async #readIfExists<Value>(
    path: string,
    query: Readonly<Record<string, string | number | boolean | undefined>>,
    stop: AbortSignal | undefined,
    shape: (answer: unknown) => Value | undefined,
  ): Promise<Value | undefined> {
    return await this.#ifExists(async () => shape(await this.#read(path, query, stop)));
  }

  async #ifExists<Value>(read: () => Promise<Value | undefined>): Promise<Value | undefined> {
    try {
      return (await read()) ?? this.#fail();
    } catch (error) {
      if (error instanceof RegistryRefusal && error.errorCode !== undefined && missing.has(error.errorCode)) {
        return undefined;
      }
      throw error;
    }
  }

  async #change(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    query: Readonly<Record<string, string | number | boolean | undefined>>,
    body: unknown,
    stop: AbortSignal | undefined,
  ): Promise<unknown> {
    return await this.#connection.request({ method, path, query, body, isRead: false, stop });
  }

  #unexpected(): RegistryRefusal {
    const reason = 'the response has an unexpected form; check that the URL is the base URL of a registry';
    return new RegistryRefusal(this.place, 200, reason);
  }

  #fail(): never {
    throw this.#unexpected();
  }
}

function suffixOf(subject: string | undefined): string {
  return subject === undefined ? '' : `/${encodeURIComponent(subject)}`;
}
