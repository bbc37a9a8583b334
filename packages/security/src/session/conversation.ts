/**
 * A login with a SASL mechanism: for each token of the client, the server sends a challenge, or authenticates the
 * client, or fails. A conversation does not know about frames, other logins or time; it ends with the first step that
 * is not a challenge.
 */
export interface Conversation {
  /** The token is a view of a frame, so a conversation copies what it retains. */
  step(token: Buffer): Step | Promise<Step>;
}

export type Step = Challenge | Done | Failed;

interface Challenge {
  readonly kind: 'challenge';
  readonly token: Buffer;
}

export interface Done {
  readonly kind: 'done';
  /** The last token of the server, which may be empty. */
  readonly token: Buffer;
  readonly user: string;
  /** Expiry of the credential in wall-clock time; `undefined` for never. */
  readonly validUntilMs: number | undefined;
  /** Whether the password was the one that a rotation replaced. */
  readonly hasOldPassword: boolean;
  /** Whether the client logged in with a delegation token of the user. */
  readonly isToken: boolean;
}

export interface Failed {
  readonly kind: 'failed';
  /** For the client. Must not reveal whether the user exists. */
  readonly message: string;
  /** For operators. */
  readonly reason: string;
  /** The user that the client named, if that could be parsed. */
  readonly user: string | undefined;
}

export function challenge(token: string | Buffer): Challenge {
  return { kind: 'challenge', token: typeof token === 'string' ? Buffer.from(token) : token };
}

interface DoneOptions {
  readonly token?: string;
  readonly validUntilMs?: number | undefined;
  readonly hasOldPassword?: boolean;
  readonly isToken?: boolean;
}

export function done(user: string, options: DoneOptions = {}): Done {
  const { token = '', validUntilMs, hasOldPassword = false, isToken = false } = options;
  return { kind: 'done', token: Buffer.from(token), user, validUntilMs, hasOldPassword, isToken };
}

/** The credentials are wrong. The details go to the log only, not to the client. */
export function refused(user: string, reason: string): Failed {
  return { kind: 'failed', message: 'Authentication failed: invalid credentials.', reason, user };
}

/** The client violated the protocol, or its request cannot be served. The client gets the reason. */
export function misspoken(problem: string, user?: string): Failed {
  return { kind: 'failed', message: `Authentication failed: ${problem}.`, reason: problem, user };
}
