import { int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client asks which SCRAM mechanisms users have set up (KIP-554).
 *
 * v0 is the only version.
 * Keys and salts never leave the server. A user that was named but has none is RESOURCE_NOT_FOUND, one named
 * twice DUPLICATE_RESOURCE.
 */
export const describeUserScramCredentials = defineApi({
  key: 50,
  name: 'DescribeUserScramCredentials',
  versions: '0',
  flexible: '0+',
  request: {
    /** Null or empty for all. */
    users: structs(
      {
        name: string(),
      },
      { nullable: true },
    ),
  },
  response: {
    throttleTimeMs: int32(),
    errorCode: int16(),
    errorMessage: string({ nullable: true }),
    results: structs({
      user: string(),
      errorCode: int16(),
      errorMessage: string({ nullable: true }),
      credentialInfos: structs({
        /** 1 SCRAM-SHA-256, 2 SCRAM-SHA-512; 0 unknown. */
        mechanism: int8(),
        iterations: int32(),
      }),
    }),
  },
});
