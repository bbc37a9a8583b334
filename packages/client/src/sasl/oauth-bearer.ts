import { type SaslConversation, SaslRefused } from './conversation.ts';

const separator = '\u0001';

/** Maximum length of the status that is reported when a server rejects a token. */
const statusCharsMax = 200;

/**
 * RFC 7628: a token in one message. A server that rejects it sends the reason as JSON, and waits for one more byte
 * before it fails the login. A token expires, but until then any reader of it can use it.
 */
export function oauthBearerConversation(
  token: string,
  extensions: ReadonlyMap<string, string> = new Map(),
): SaslConversation {
  const pairs = [...extensions].map(([name, value]) => `${name}=${value}${separator}`).join('');
  let refusal: string | undefined;
  return {
    get refusal() {
      return refusal;
    },
    first: () => Buffer.from(`n,,${separator}auth=Bearer ${token}${separator}${pairs}${separator}`),
    async answer(challenge) {
      if (refusal !== undefined)
        throw new SaslRefused('refused', `the broker rejected the token: ${refusal}`);
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
    // An unreadable reason counts as none.
  }
  return 'no reason given';
}
