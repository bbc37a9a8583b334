import { bool, int16, int32, int64, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const describeLogDirs = defineApi({
  key: 35,
  name: 'DescribeLogDirs',
  versions: '1-5',
  flexible: '2+',
  request: {
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
          partitionSize: int64(),
          offsetLag: int64(),
          isFutureKey: bool(),
        }),
      }),
      totalBytes: int64({ versions: '4+', default: -1n, ignorable: true }),
      usableBytes: int64({ versions: '4+', default: -1n, ignorable: true }),
      isCordoned: bool({ versions: '5+', default: false, ignorable: true }),
    }),
  },
});
