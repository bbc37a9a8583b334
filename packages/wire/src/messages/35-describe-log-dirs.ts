import { bool, int16, int32, int64, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client asks how much space partitions take in the log directories of one broker (KIP-113).
 *
 * KIP-896 left v1 as the oldest. v2 is flexible, v3 adds a top-level error (KIP-784), v4 the size of the
 * volume (KIP-827), v5 cordoned directories (KIP-1066).
 * User interfaces and monitors take the size of topics from here and fail without it, even where there are no
 * directories.
 */
export const describeLogDirs = defineApi({
  key: 35,
  name: 'DescribeLogDirs',
  versions: '1-5',
  flexible: '2+',
  request: {
    /** Null for all. */
    topics: structs(
      {
        topic: string(),
        partitions: listOf(int32),
      },
      { nullable: true },
    ),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16({ versions: '3+', ignorable: true }),
    results: structs({
      errorCode: int16(),
      logDir: string(),
      topics: structs({
        name: string(),
        partitions: structs({
          partitionIndex: int32(),
          /** In bytes. */
          partitionSize: int64(),
          /** How far this replica is behind the high watermark, or a future one behind the current. */
          offsetLag: int64(),
          /** A future replica that AlterReplicaLogDirs is creating. */
          isFutureKey: bool(),
        }),
      }),
      /** Of the volume; -1 if unknown. */
      totalBytes: int64({ versions: '4+', default: -1n, ignorable: true }),
      /** Of the volume; -1 if unknown. */
      usableBytes: int64({ versions: '4+', default: -1n, ignorable: true }),
      /** Gets no new partitions. */
      isCordoned: bool({ versions: '5+', default: false, ignorable: true }),
    }),
  },
});
