import { type SaslConversation, SaslRefused } from './conversation.ts';

const separator = '\u0001';

/** What a server is heard of when it refuses a token; the rest of a longer word is of no use to anybody. */
const statusCharsMax = 200;

/**
 * RFC 7628: a token in one message. A server that refuses it says why in JSON, and waits for one more byte before it fails the
 * login. The token is of no more use than its lifetime, but whoever reads it can use it for so long.
 */
export function oauthBearerConversation(token: string): SaslConversation {
  let refusal: string | undefined;
  return {
    get refusal() {
      return refusal;
    },
    first: () => Buffer.from(`n,,${separator}auth=Bearer ${token}${separator}${separator}`),
    async answer(challenge) {
      if (refusal !== undefined) throw new SaslRefused('refused', `the token was refused: ${refusal}`);
      if (challenge.length === 0) return undefined;
      refusal = statusOf(challenge);
      return Buffer.from(separator);
    },
  };
}

function statusOf(challenge: Buffer): string {
  try {
    const { status } = JSON.parse(challenge.toString()) as { status?: unknown };
    if (typeof status === 'string' && status !== '') return status.slice(0, statusCharsMax);
  } catch {
    // A reason that cannot be read is as good as none.
  }
  return 'no reason was given';
}
