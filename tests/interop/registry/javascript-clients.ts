import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * Confluent's client has some hundred packages, so the clients are installed in a separate folder, only when needed.
 * Clients of key-management services, three quarters of its size, are replaced by an empty package.
 */
const folder = join(import.meta.dirname, '../../../node_modules/.cache/weir-registry-clients');
const listed = join(import.meta.dirname, 'clients');
const confluent = join(folder, 'node_modules/@confluentinc/schemaregistry/dist');
const kafkajs = join(folder, 'node_modules/@kafkajs/confluent-schema-registry/dist/index.js');

/** Why the clients are not available here, as the `skip` of a test. */
export function missingRegistryClients(): string | false {
  if (areThere()) return false;
  mkdirSync(folder, { recursive: true });
  cpSync(listed, folder, { recursive: true });
  // Not `npm ci`, which requires optional packages for other platforms that not every registry has.
  const options = ['install', '--no-save', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'];
  const { error, stderr } = spawnSync('npm', options, { cwd: folder, encoding: 'utf8', timeout: 300_000 });
  if (areThere()) return false;
  return `failed to install registry clients: ${error?.message ?? (stderr ?? '').trim().split('\n').at(-1)}`;
}

function areThere(): boolean {
  return existsSync(join(confluent, 'serde/avro.js')) && existsSync(kafkajs);
}

interface SchemaInfo {
  readonly schema: string;
  readonly schemaType?: string;
  readonly references?: readonly {
    readonly name: string;
    readonly subject: string;
    readonly version: number;
  }[];
}

interface SchemaMetadata extends SchemaInfo {
  readonly id: number;
  readonly guid: string;
  readonly version: number;
}

/** The part of `@confluentinc/schemaregistry` that tests call. */
interface ConfluentClient {
  register(subject: string, schema: SchemaInfo): Promise<number>;
  registerFullResponse(subject: string, schema: SchemaInfo): Promise<SchemaMetadata>;
  getBySubjectAndId(subject: string, id: number): Promise<SchemaInfo>;
  getByGuid(guid: string): Promise<SchemaInfo>;
  getId(subject: string, schema: SchemaInfo): Promise<number>;
  getLatestSchemaMetadata(subject: string): Promise<SchemaMetadata>;
  getAllVersions(subject: string): Promise<number[]>;
  getAllSubjects(): Promise<string[]>;
  deleteSubject(subject: string, permanent?: boolean): Promise<number[]>;
  deleteSubjectVersion(subject: string, version: number, permanent?: boolean): Promise<number>;
  testCompatibility(subject: string, version: number, schema: SchemaInfo): Promise<boolean>;
  updateCompatibility(subject: string, level: string): Promise<string>;
  getCompatibility(subject: string): Promise<string>;
  createAssociation(request: object): Promise<object>;
  getAssociationsByResourceName(
    name: string,
    namespace: string,
    type: string | null,
    associationTypes: readonly string[],
    lifecycle: string | null,
    offset: number,
    limit: number,
  ): Promise<{ readonly subject: string; readonly resourceId: string }[]>;
  deleteAssociations(
    resourceId: string,
    type: string | null,
    associationTypes: readonly string[] | null,
    cascades: boolean,
  ): Promise<void>;
  clearCaches(): void;
}

interface Serde {
  /** Where schemas are named in headers, `headers` gets one. */
  serialize(topic: string, value: unknown, headers?: Record<string, Buffer>): Promise<Buffer>;
  deserialize(topic: string, payload: Buffer): Promise<unknown>;
}

type SerdeClass = new (client: ConfluentClient, kind: string, settings: object) => Serde;

/** The part of `@bufbuild/protobuf` that tests call. */
interface Bufbuild {
  createFileRegistry(
    file: object,
    resolve: () => undefined,
  ): { getMessage(name: string): object | undefined };
  fromBinary(type: object, bytes: Buffer): object;
  create(type: object, fields: object): unknown;
}

/** Loads Confluent's client, without its parts for encryption. */
export function confluentClient(url: string) {
  const require = createRequire(join(folder, 'package.json'));
  const { SchemaRegistryClient } = require(join(confluent, 'schemaregistry-client.js')) as {
    SchemaRegistryClient: new (settings: object) => ConfluentClient;
  };
  const serdes = (name: string) => require(join(confluent, `serde/${name}.js`)) as Record<string, SerdeClass>;
  const inHeader = { schemaIdSerializer: serdes('serde').HeaderSchemaIdSerializer };
  const client = new SchemaRegistryClient({ baseURLs: [url] });
  const pair = (module: string, name: string, place: 'payload' | 'header' = 'payload') => ({
    serializer: new (serdes(module)[`${name}Serializer`]!)(client, 'VALUE', {
      autoRegisterSchemas: false,
      useLatestVersion: true,
      ...(place === 'header' ? inHeader : {}),
    }),
    deserializer: new (serdes(module)[`${name}Deserializer`]!)(client, 'VALUE', {}),
  });
  return {
    client,
    avro: (place?: 'payload' | 'header') => pair('avro', 'Avro', place),
    json: (place?: 'payload' | 'header') => pair('json', 'Json', place),
    /** Messages are made of a file descriptor, as the registry returns it in the format `serialized`. */
    protobuf(descriptor: Buffer, place?: 'payload' | 'header') {
      const { serializer, deserializer } = pair('protobuf', 'Protobuf', place);
      const { createFileRegistry, fromBinary, create } = require('@bufbuild/protobuf') as Bufbuild;
      const { FileDescriptorProtoSchema } = require('@bufbuild/protobuf/wkt') as Record<string, object>;
      const messages = createFileRegistry(
        fromBinary(FileDescriptorProtoSchema!, descriptor),
        () => undefined,
      );
      const typeOf = (name: string) => messages.getMessage(name)!;
      return {
        serializer,
        deserializer,
        message(name: string, fields: object): unknown {
          (serializer as unknown as { registry: { add(type: object): void } }).registry.add(typeOf(name));
          return create(typeOf(name), fields);
        },
      };
    },
  };
}

/** The part of `@kafkajs/confluent-schema-registry` that tests call. */
interface KafkajsRegistry {
  register(
    schema: { readonly type: string; readonly schema: string },
    options: { readonly subject: string; readonly compatibility?: string },
  ): Promise<{ readonly id: number }>;
  getLatestSchemaId(subject: string): Promise<number>;
  getRegistryIdBySchema(
    subject: string,
    schema: { readonly type: string; readonly schema: string },
  ): Promise<number>;
  encode(id: number, value: unknown): Promise<Buffer>;
  decode(payload: Buffer): Promise<unknown>;
}

export function kafkajsRegistry(url: string): KafkajsRegistry {
  const require = createRequire(join(folder, 'package.json'));
  const { SchemaRegistry } = require(kafkajs) as {
    SchemaRegistry: new (settings: object, options?: object) => KafkajsRegistry;
  };
  return new SchemaRegistry({ host: url, retry: { retries: 0 } });
}
