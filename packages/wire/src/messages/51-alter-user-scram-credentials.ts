import { bytes, int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * An admin client sets and removes SCRAM credentials of users (KIP-554).
 *
 * v0 is the only version.
 * The password itself never reaches the server: the client salts and iterates it. Too few iterations, fewer
 * than 4096, are UNACCEPTABLE_CREDENTIAL. The results are per user, and a user succeeds or fails as a whole.
 */
export const alterUserScramCredentials = defineApi({
  key: 51,
  name: 'AlterUserScramCredentials',
  versions: '0',
  flexible: '0+',
  request: {
    deletions: structs({
      name: string(),
      /** 1 SCRAM-SHA-256, 2 SCRAM-SHA-512. */
      mechanism: int8(),
    }),
    upsertions: structs({
      name: string(),
      /** 1 SCRAM-SHA-256, 2 SCRAM-SHA-512. */
      mechanism: int8(),
      iterations: int32(),
      salt: bytes(),
      /** The SaltedPassword of RFC 5802, from which the server derives the keys that it stores. */
      saltedPassword: bytes(),
    }),
  },
  response: {
    throttleTimeMs: int32(),
    results: structs({
      user: string(),
      errorCode: int16(),
      errorMessage: string({ nullable: true }),
    }),
  },
});
