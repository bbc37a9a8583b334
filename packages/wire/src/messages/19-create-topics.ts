import { bool, int8, int16, int32, listOf, string, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const createTopics = defineApi({
  key: 19,
  name: 'CreateTopics',
  versions: '2-7',
  flexible: '5+',
  request: {
    topics: structs({
      name: string(),
      numPartitions: int32(),
      replicationFactor: int16(),
      assignments: structs({
        partitionIndex: int32(),
        brokerIds: listOf(int32),
      }),
      configs: structs({
        name: string(),
        value: string({ nullable: true }),
      }),
    }),
    timeoutMs: int32({ default: 60000 }),
    validateOnly: bool({ default: false }),
  },
  response: {
    throttleTimeMs: int32(),
    topics: structs({
      name: string(),
      topicId: uuid({ versions: '7+', ignorable: true }),
      errorCode: int16(),
      errorMessage: string({ nullable: true }),
      topicConfigErrorCode: int16({ versions: '5+', tag: 0, ignorable: true }),
      numPartitions: int32({ versions: '5+', default: -1, ignorable: true }),
      replicationFactor: int16({ versions: '5+', default: -1, ignorable: true }),
      configs: structs(
        {
          name: string(),
          value: string({ nullable: true }),
          readOnly: bool(),
          configSource: int8({ default: -1 }),
          isSensitive: bool(),
        },
        { versions: '5+', nullable: true, ignorable: true },
      ),
    }),
  },
});
