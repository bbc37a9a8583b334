/** What a configuration says about one table: where its records come from, and what its rows are. */
import type { Type } from '@weir/iceberg';
import type { RegistryReader } from '@weir/registry/decoding';
import type { RowReader } from './rows/row-reader.ts';

export type StructType = Extract<Type, { kind: 'struct' }>;

export type SourceFormat = 'json' | 'avro' | 'protobuf';

/** A Kafka cluster that records come from. Of credentials it has the names of variables, or references to secrets. */
export interface SourceCluster {
  readonly name: string;
  readonly brokers: readonly { readonly hostname: string; readonly port: number }[];
  readonly credentials: SourceCredentials | undefined;
}

export interface SourceCredentials {
  readonly mechanism: 'plain' | 'scram-256' | 'scram-512' | undefined;
  readonly username: Credential | undefined;
  readonly password: Credential | undefined;
  readonly usesTls: boolean;
  readonly isInsecure: boolean;
  readonly trustedCertificates: Credential | undefined;
  readonly clientCertificate: Credential | undefined;
  readonly clientKey: Credential | undefined;
}

/** The name of a variable of the agents. */
export interface Credential {
  readonly variable: string;
}

interface CatalogPlace {
  readonly namespace: readonly string[];
  /** Certificates of authorities, in PEM, if they are not public ones. */
  readonly authorities: Credential | undefined;
  /** Distinguishes catalogs, whatever the login is. */
  readonly digest: string;
}

/** A catalog that a configuration names. Of credentials it has the names; AWS is that of the agents. */
export type CatalogSettings =
  | (CatalogPlace & {
      readonly kind: 'rest';
      readonly uri: string;
      readonly warehouse: string | undefined;
      readonly auth:
        | { readonly type: 'none' }
        | { readonly type: 'bearer'; readonly token: Credential }
        | {
            readonly type: 'oauth2';
            readonly clientId: string;
            readonly clientSecret: Credential;
            readonly tokenUrl: string | undefined;
            readonly scope: string | undefined;
          }
        | {
            readonly type: 'sigv4';
            readonly service: 'glue' | 's3tables' | 'execute-api';
            readonly region: string;
          };
    })
  | (CatalogPlace & {
      readonly kind: 'glue';
      readonly region: string;
      readonly catalogId: string | undefined;
      readonly endpoint: string | undefined;
    });

/** `skip` drops a record that cannot be a row, `keep` puts it into a table of its own, `stop` waits for an operator. */
export type DeadLetterMode = 'skip' | 'stop' | 'keep';

/** A column that rows are partitioned by, and the transform as Iceberg writes it, such as `day` or `bucket[16]`. */
export interface PartitionBy {
  readonly column: string;
  readonly transform: string;
}

/** What a configuration says about a table without asking anything of others. */
export interface TableConfiguration {
  /** `<source cluster>__<topic>`: unique in a cluster. */
  readonly name: string;
  readonly source: SourceCluster;
  readonly topic: string;
  readonly format: SourceFormat;
  readonly partitionBy: readonly PartitionBy[];
  readonly deadLetters: { readonly mode: DeadLetterMode; readonly retentionMs: number | undefined };
  /** Rows that are older are deleted; all are kept if absent. */
  readonly retentionMs: number | undefined;
  readonly commitIntervalMs: number;
  readonly compression: 'zstd' | 'snappy' | 'gzip' | 'none';
  /** The bucket of the agents if absent. */
  readonly destinationBucketUrl: string | undefined;
  /** The catalog that has the table; the bucket itself if absent. */
  readonly catalog: CatalogSettings | undefined;
  /**
   * Returns the definition. It asks the schema registry only if the schema comes from there, and rejects if that does
   * not answer, or has no schema that a table can have.
   */
  readonly resolve: (deps: RowDeps) => Promise<TableDefinition>;
}

/** A table of which all is known. */
export interface TableDefinition extends Omit<TableConfiguration, 'resolve'> {
  /**
   * The columns, with ids that only distinguish them; those of the table are given when it is created. The last ones
   * are `kafka_partition`, `kafka_offset` and `kafka_timestamp`.
   */
  readonly columns: StructType;
  /** A reader of records, whose rows have `columns`. */
  readonly openRows: (deps: RowDeps) => RowReader;
}

/** A schema registry that a configuration names. */
export interface RegistryAddress {
  readonly url: string;
  readonly username: Credential | undefined;
  readonly password: Credential | undefined;
}

/** What tables read of a registry. */
export type TableRegistry = Pick<RegistryReader, 'place' | 'schemaById' | 'schemaByGuid' | 'schemaOfVersion'>;

export interface RowDeps {
  /** Opens a registry; its owner closes it. Needed by tables that name one. */
  readonly openRegistry: (address: RegistryAddress) => TableRegistry;
}
