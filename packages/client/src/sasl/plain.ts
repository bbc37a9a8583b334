import type { SaslConversation } from './conversation.ts';

/** RFC 4616: name and password in one message. The server proves nothing, so only TLS authenticates it. */
export function plainConversation(username: string, password: string): SaslConversation {
  return {
    first: () => Buffer.from(`\0${username}\0${password}`),
    answer: async () => undefined,
  };
}
