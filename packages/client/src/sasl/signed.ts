import type { SaslConversation } from './conversation.ts';

/** AWS_MSK_IAM: one signed message. The broker answers with an id of the request; only TLS authenticates it. */
export function signedConversation(payload: Buffer): SaslConversation {
  return { first: () => payload, answer: async () => undefined };
}
