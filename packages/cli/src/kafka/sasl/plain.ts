import type { SaslConversation } from './conversation.ts';

/** RFC 4616: the name and the password in one message. The server proves nothing, so that only TLS says who it is. */
export function plainConversation(username: string, password: string): SaslConversation {
  return {
    first: () => Buffer.from(`\0${username}\0${password}`),
    answer: async () => undefined,
  };
}
