import { bool, int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client asks for the cluster id, the controller and the brokers (KIP-700).
 *
 * v1 can ask for controllers (KIP-919), v2 for brokers that are fenced (KIP-1073).
 * The Java client falls back on Metadata if it is missing. An endpoint type that this listener does not serve
 * is MISMATCHED_ENDPOINT_TYPE, an unknown one UNSUPPORTED_ENDPOINT_TYPE.
 */
export const describeCluster = defineApi({
  key: 60,
  name: 'DescribeCluster',
  versions: '0-2',
  flexible: '0+',
  request: {
    includeClusterAuthorizedOperations: bool(),
    /** 1 brokers, 2 controllers. */
    endpointType: int8({ versions: '1+', default: 1 }),
    includeFencedBrokers: bool({ versions: '2+' }),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true, default: null }),
    /** Repeats the request. */
    endpointType: int8({ versions: '1+', default: 1 }),
    clusterId: string(),
    /** A live broker that accepts admin requests; -1 if unknown. */
    controllerId: int32({ default: -1 }),
    brokers: structs({
      brokerId: int32(),
      host: string(),
      port: int32(),
      rack: string({ nullable: true, default: null }),
      /** Registered but not serving. */
      isFenced: bool({ versions: '2+' }),
    }),
    /** Bit n stands for ACL operation n; the default means that it was not requested. */
    clusterAuthorizedOperations: int32({ default: -2147483648 }),
  },
});
