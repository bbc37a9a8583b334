import { bool, int16, int32, listOf, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const createPartitions = defineApi({
  key: 37,
  name: 'CreatePartitions',
  versions: '0-3',
  flexible: '2+',
  request: {
    topics: structs({
      name: string(),
      count: int32(),
      assignments: structs(
        {
          brokerIds: listOf(int32),
        },
        { nullable: true },
      ),
    }),
    timeoutMs: int32(),
    validateOnly: bool(),
  },
  response: {
    throttleTimeMs: int32(),
    results: structs({
      name: string(),
      errorCode: int16(),
      errorMessage: string({ nullable: true, default: null }),
    }),
  },
});
