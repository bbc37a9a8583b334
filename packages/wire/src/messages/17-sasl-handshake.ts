import { int16, listOf, string } from '../schema/field.ts';
import { defineApi } from '../schema/message.ts';

/**
 * A client chooses the SASL mechanism (KIP-43), before any other request but ApiVersions.
 *
 * After v0 the tokens follow raw, each behind its length; after v1 they travel in SaslAuthenticate (KIP-152).
 * There will be no v2: Java clients up to 2.4 would fail to negotiate it (KAFKA-9577). An unknown mechanism
 * is UNSUPPORTED_SASL_MECHANISM with the list of the enabled ones, and then the connection closes.
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
    /** Those enabled on this listener, listed with or without an error. */
    mechanisms: listOf(string),
  },
});
