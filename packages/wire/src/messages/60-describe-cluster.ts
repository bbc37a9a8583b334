import { bool, int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const describeCluster = defineApi({
  key: 60,
  name: 'DescribeCluster',
  versions: '0-2',
  flexible: '0+',
  request: {
    includeClusterAuthorizedOperations: bool(),
    endpointType: int8({ versions: '1+', default: 1 }),
    includeFencedBrokers: bool({ versions: '2+' }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true, default: null }),
    endpointType: int8({ versions: '1+', default: 1 }),
    clusterId: string(),
    controllerId: int32({ default: -1 }),
    brokers: structs({
      brokerId: int32(),
      host: string(),
      port: int32(),
      rack: string({ nullable: true, default: null }),
      isFenced: bool({ versions: '2+' }),
    }),
    clusterAuthorizedOperations: int32({ default: -2147483648 }),
  },
});
