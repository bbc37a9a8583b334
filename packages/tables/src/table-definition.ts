/** What a configuration says about one table: where its records come from, and what its rows are. */
import type { Type } from '@weir/iceberg';
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

/** `skip` drops a record that cannot be a row, `keep` puts it into a table of its own, `stop` waits for an operator. */
export type DeadLetterMode = 'skip' | 'stop' | 'keep';

/** A column that rows are partitioned by, and the transform as Iceberg writes it, such as `day` or `bucket[16]`. */
export interface PartitionBy {
  readonly column: string;
  readonly transform: string;
}

export interface TableDefinition {
  /** `<source cluster>__<topic>`: unique in a cluster. */
  readonly name: string;
  readonly source: SourceCluster;
  readonly topic: string;
  readonly format: SourceFormat;
  /**
   * The columns, with ids that only distinguish them; those of the table are given when it is created. The last ones
   * are `kafka_partition`, `kafka_offset` and `kafka_timestamp`.
   */
  readonly columns: StructType;
  readonly partitionBy: readonly PartitionBy[];
  readonly deadLetters: { readonly mode: DeadLetterMode; readonly retentionMs: number | undefined };
  /** Rows that are older are deleted; all are kept if absent. */
  readonly retentionMs: number | undefined;
  readonly commitIntervalMs: number;
  readonly compression: 'zstd' | 'snappy' | 'gzip' | 'none';
  /** The bucket of the agents if absent. */
  readonly destinationBucketUrl: string | undefined;
  /** A reader of records, whose rows have `columns`. */
  readonly openRows: (deps: RowDeps) => RowReader;
}

export interface RowDeps {
  /** The values of variables of the agents that configurations may name. */
  readonly variable: (name: string) => string | undefined;
}
