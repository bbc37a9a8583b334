import { bytes, int16, int32, int64, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';
import { principalFields, tokenRequester } from './shared-fields.ts';

/**
 * A client lists the delegation tokens that it owns, may renew, or has the right to see (KIP-48).
 *
 * v0 was removed in Kafka 4.0; v1 throttles after the response, v2 is the first flexible version, v3 adds who asked for
 * the token.
 */
export const describeDelegationToken = defineApi({
  key: 41,
  name: 'DescribeDelegationToken',
  versions: '1-3',
  flexible: '2+',
  request: {
    /** Null for all of them; an empty list for none. A renewer counts as an owner. */
    owners: structs(principalFields, { nullable: true }),
  },
  response: {
    errorCode: int16(),
    tokens: structs({
      ...principalFields,
      ...tokenRequester,
      issueTimestamp: int64(),
      expiryTimestamp: int64(),
      maxTimestamp: int64(),
      tokenId: string(),
      hmac: bytes(),
      renewers: structs(principalFields),
    }),
    throttleTimeMs: int32(),
  },
});
