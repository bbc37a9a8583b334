export { describeAcls } from './acls/describe-acls.ts';
export { ByteReader, UnreadableBytes } from './bytes/byte-reader.ts';
export { ByteWriter } from './bytes/byte-writer.ts';
export {
  type Command,
  type CommandKind,
  type CommandOf,
  MalformedCommand,
  type Replies,
  type ReplyOf,
} from './command.ts';
export { loginsReceivedSince, type SeenLogins } from './credentials/credential-use.ts';
export { listCredentials } from './credentials/credentials.ts';
export { listDelegationTokens } from './credentials/delegation-tokens.ts';
export { passwordDerivation } from './credentials/rotate-password.ts';
export { describeScramCredentials } from './credentials/scram-credentials.ts';
export { KeyValueStore } from './kv/key-value-store.ts';
export type { Namespace } from './kv/namespaces.ts';
export type { EntryChange } from './kv/put-entries.ts';
export { ClusterMachine } from './machine.ts';
export { hasNodeId, type NodeIdRequest } from './node-ids/node-ids.ts';
export type { GroupOffsets } from './offsets/commit-offsets.ts';
export type { OffsetsToForget, PartitionOfTopic } from './offsets/forget-offsets.ts';
export type { StoredOffset } from './offsets/stored-offset.ts';
export { describeQuotas } from './quotas/describe-quotas.ts';
export { snapshotHeadBytes, snapshotVersion, snapshotVersionOf } from './snapshot-format/snapshot-version.ts';
