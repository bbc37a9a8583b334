import type { SourceCredentials } from '../source/source-credentials.ts';

/** What a configuration says, with defaults for what it does not say. */
export interface MigrationConfiguration {
  readonly brokers: readonly { readonly hostname: string; readonly port: number }[];
  readonly credentials: SourceCredentials | undefined;
  /** The first that matches a topic decides about it. */
  readonly mappings: readonly TopicMapping[];
  readonly copiesClusterConfiguration: boolean;
  /** Adds ACLs of the source to those here, and deletes none. */
  readonly copiesAcls: boolean;
  readonly groups: {
    readonly copiesOffsets: boolean;
    readonly destinationPrefix: string;
  };
  /** How many fetches run at a time, of all agents together. */
  readonly fetchConcurrency: number;
  /** The most bytes of an answer of the source, and of one partition in it. */
  readonly fetchBytesMax: number;
  readonly partitionBytesMax: number;
  /** Of all fetches together; absent if there is no limit. */
  readonly fetchBytesPerSecond: number | undefined;
}

export interface TopicMapping {
  readonly sourceRegex: string;
  /** Whether it matches the whole name. */
  matches(topic: string): boolean;
  /** Worst-case work of matching, per character. */
  readonly cost: number;
  readonly destinationPrefix: string;
  /** Whether only records are copied that the source gets from now on. */
  readonly beginsAtEnd: boolean;
  /** Whether clients write to the copies from now on, for good. */
  readonly isHandedOver: boolean;
  /** Whether a copy is deleted when its topic is deleted at the source. */
  readonly followsDeletions: boolean;
  readonly autoMigration: { readonly isEnabled: boolean; readonly timeoutMs: number };
}
