import { int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client moves the replicas of one broker between its log directories (KIP-113).
 *
 * KIP-896 left v1 as the oldest. v2 is flexible.
 */
export const alterReplicaLogDirs = defineApi({
  key: 34,
  name: 'AlterReplicaLogDirs',
  versions: '1-2',
  flexible: '2+',
  request: {
    dirs: structs({
      path: string(),
      topics: structs({
        name: string(),
        partitions: listOf(int32),
      }),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    results: structs({
      topicName: string(),
      partitions: structs({
        partitionIndex: int32(),
        errorCode: int16(),
      }),
    }),
  },
});
