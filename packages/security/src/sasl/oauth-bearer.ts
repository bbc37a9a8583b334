import { utf8Text } from '@weir/core';
import type { CheckedToken } from '@weir/oidc';
import {
  type Conversation,
  challenge,
  done,
  type Failed,
  misspoken,
  type Step,
} from '../session/conversation.ts';

type CheckToken = (token: string) => Promise<CheckedToken>;

/**
 * OAUTHBEARER (RFC 7628): one message with a token from an issuer. If the token is not accepted, the server sends a
 * challenge with the error, as the RFC requires, and the next message of the client fails the login, whatever it is.
 */
export class OAuthBearerConversation implements Conversation {
  readonly #check: CheckToken;
  /** The final answer for a client whose token was not accepted. */
  #failure: Failed | undefined;

  constructor(check: CheckToken) {
    this.#check = check;
  }

  step(token: Buffer): Step | Promise<Step> {
    if (this.#failure !== undefined) return this.#failure;
    const text = utf8Text(token);
    const message = text === undefined ? { problem: 'message is not UTF-8' } : readBearer(text);
    return 'problem' in message ? misspoken(message.problem) : this.#verify(message);
  }

  async #verify({ token, actAs }: Bearer): Promise<Step> {
    const checked = await this.#check(token);
    if ('problem' in checked) return this.#reject(checked.problem, checked.subject);
    const { subject, expiresMs } = checked;
    if (actAs !== '' && actAs !== subject) {
      return this.#reject('authorization identity does not match the token', subject);
    }
    return done(subject, { validUntilMs: expiresMs });
  }

  #reject(reason: string, user: string | undefined): Step {
    const message = 'Authentication failed: token rejected.';
    this.#failure = { kind: 'failed', message, reason, user };
    return challenge(JSON.stringify({ status: 'invalid_token' }));
  }
}

interface Bearer {
  readonly token: string;
  readonly actAs: string;
}

/**
 * Parses `n,a=name,`, then key-value pairs, each terminated by 0x01, and a final 0x01. Unknown pairs (Kafka's
 * extensions) are ignored.
 */
function readBearer(text: string): Bearer | { readonly problem: string } {
  const headerEnd = text.indexOf('\x01');
  const header = /^(n|y|p=[\w.-]+),(?:a=([^,]*))?,$/.exec(headerEnd < 0 ? '' : text.slice(0, headerEnd));
  if (header === null) return { problem: 'message has no header' };
  if (header[1]!.startsWith('p')) return { problem: 'channel binding is not supported' };
  if (!text.endsWith('\x01\x01')) return { problem: 'message has no terminator' };
  const pairs = text.slice(headerEnd + 1, -2).split('\x01');
  if (!pairs.every((pair) => /^[A-Za-z]+=/.test(pair))) {
    return { problem: 'message has an entry that is not key=value' };
  }
  const tokens = pairs.filter((pair) => pair.startsWith('auth='));
  const token = /^auth=bearer +([\w.~+/=-]+)$/i.exec(tokens[0] ?? '')?.[1];
  if (tokens.length !== 1 || token === undefined) return { problem: 'message has no bearer token' };
  const actAs = (header[2] ?? '').replaceAll('=2C', ',').replaceAll('=3D', '=');
  return { token, actAs };
}
