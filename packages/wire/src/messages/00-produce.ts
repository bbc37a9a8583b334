import { int16, int32, int64, records, string, struct, structs, uuid } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const produce = defineApi({
  key: 0,
  name: 'Produce',
  versions: '3-13',
  flexible: '9+',
  request: {
    transactionalId: string({ nullable: true, default: null }),
    acks: int16(),
    timeoutMs: int32(),
    topicData: structs({
      name: string({ versions: '3-12', ignorable: true }),
      topicId: uuid({ versions: '13+', ignorable: true }),
      partitionData: structs({
        index: int32(),
        records: records({ nullable: true }),
      }),
    }),
  },
  response: {
    responses: structs({
      name: string({ versions: '3-12', ignorable: true }),
      topicId: uuid({ versions: '13+', ignorable: true }),
      partitionResponses: structs({
        index: int32(),
        errorCode: int16(),
        baseOffset: int64(),
        logAppendTimeMs: int64({ default: -1n }),
        logStartOffset: int64({ versions: '5+', default: -1n, ignorable: true }),
        recordErrors: structs(
          {
            batchIndex: int32(),
            batchIndexErrorMessage: string({ nullable: true, default: null }),
          },
          { versions: '8+', ignorable: true },
        ),
        errorMessage: string({ versions: '8+', nullable: true, default: null, ignorable: true }),
        currentLeader: struct(
          {
            leaderId: int32({ default: -1 }),
            leaderEpoch: int32({ default: -1 }),
          },
          { versions: '10+', tag: 0 },
        ),
      }),
    }),
    throttleTimeMs: int32({ default: 0 }),
    nodeEndpoints: structs(
      {
        nodeId: int32(),
        host: string(),
        port: int32(),
        rack: string({ nullable: true, default: null }),
      },
      { versions: '10+', tag: 0 },
    ),
  },
});
