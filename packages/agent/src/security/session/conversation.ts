/**
 * What a mechanism of SASL is to the rest of the agent: a client says something, and either is asked for more, or is known, or is
 * not. A conversation knows nothing of frames, of other logins and of time; it ends with the first step that is no challenge.
 */
export interface Conversation {
  /** The token is the memory of a frame, so that a conversation copies what it keeps. */
  step(token: Buffer): Step | Promise<Step>;
}

export type Step = Challenge | Done | Failed;

interface Challenge {
  readonly kind: 'challenge';
  readonly token: Buffer;
}

export interface Done {
  readonly kind: 'done';
  /** The last word of the server, which may be empty. */
  readonly token: Buffer;
  readonly user: string;
  /** When what the client has shown is worth nothing any more, in wall-clock time; `undefined` for never. */
  readonly validUntilMs: number | undefined;
}

export interface Failed {
  readonly kind: 'failed';
  /** For the client. It never tells whether there is such a user. */
  readonly message: string;
  /** For operators. */
  readonly reason: string;
  /** Who the client wanted to be, as far as that was understood. */
  readonly user: string | undefined;
}

export function challenge(token: string | Buffer): Challenge {
  return { kind: 'challenge', token: typeof token === 'string' ? Buffer.from(token) : token };
}

export function done(user: string, token: string = '', validUntilMs?: number): Done {
  return { kind: 'done', token: Buffer.from(token), user, validUntilMs };
}

/** The client did not prove to be who it says. What exactly was wrong is nobody's business but the operator's. */
export function refused(user: string, reason: string): Failed {
  return { kind: 'failed', message: 'Authentication failed: the credentials are not valid.', reason, user };
}

/** The client said something that no client in its right mind says, and may know what. */
export function misspoken(problem: string, user?: string): Failed {
  return { kind: 'failed', message: `Authentication failed: ${problem}.`, reason: problem, user };
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a token; `undefined` when it is no UTF-8. */
export function textOf(token: Buffer): string | undefined {
  try {
    return strictUtf8.decode(token);
  } catch {
    return undefined;
  }
}
