import { bytes, int8, int16, int32, string, structs } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const alterUserScramCredentials = defineApi({
  key: 51,
  name: 'AlterUserScramCredentials',
  versions: '0',
  flexible: '0+',
  request: {
    deletions: structs({
      name: string(),
      mechanism: int8(),
    }),
    upsertions: structs({
      name: string(),
      mechanism: int8(),
      iterations: int32(),
      salt: bytes(),
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
