import { int16, listOf, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * TODO
 */
export const saslHandshake = defineApi({
  key: 17,
  name: 'SaslHandshake',
  versions: '0-1',
  flexible: 'never',
  request: {
    mechanism: string(),
  },
  response: {
    errorCode: int16(),
    mechanisms: listOf(string),
  },
});
