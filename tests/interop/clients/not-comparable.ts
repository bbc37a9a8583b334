import { apiByKey, includesVersion } from '@weir/wire';

/** One version of one API in a client. */
export interface ClientVersion {
  /** The protocol's name if Weir knows the API, else the client's. */
  readonly name: string;
  readonly key: number;
  readonly version: number;
}

/** Versions that a client has and Weir lacks, with the reason. The keys are `name vVersion`. */
export const notComparable: Readonly<Record<string, string>> = {
  ...removed('Produce', [0, 1, 2]),
  ...removed('Fetch', [0, 1, 2, 3]),
  ...removed('ListOffsets', [0]),
  ...removed('OffsetCommit', [0, 1]),
  ...removed('OffsetFetch', [0]),
  ...removed('CreateTopics', [0, 1]),
  ...removed('DeleteTopics', [0]),
  ...removed('OffsetForLeaderEpoch', [0, 1]),
  ...removed('DescribeAcls', [0]),
  ...removed('CreateAcls', [0]),
  ...removed('DeleteAcls', [0]),
  ...removed('DescribeConfigs', [0]),
  ...removed('AlterReplicaLogDirs', [0]),
  ...removed('DescribeLogDirs', [0]),
  ...removed('CreateDelegationToken', [0]),
  ...removed('RenewDelegationToken', [0]),
  ...removed('ExpireDelegationToken', [0]),
  ...removed('DescribeDelegationToken', [0]),
  ...betweenBrokers('AlterPartition', [0, 1, 2, 3]),
  ...betweenBrokers('Envelope', [0]),
};

function removed(name: string, versions: readonly number[]): Record<string, string> {
  return excuse(name, versions, 'Kafka 4.0 removed it, and every client has a later version');
}

function betweenBrokers(name: string, versions: readonly number[]): Record<string, string> {
  return excuse(name, versions, 'Only brokers and controllers of Kafka itself speak it to each other');
}

function excuse(name: string, versions: readonly number[], reason: string): Record<string, string> {
  return Object.fromEntries(versions.map((version) => [`${name} v${version}`, reason]));
}

export function titleOf({ name, version }: ClientVersion): string {
  return `${name} v${version}`;
}

export function isOurs({ key, version }: ClientVersion): boolean {
  const api = apiByKey(key);
  return api !== undefined && includesVersion(api.versions, version);
}
