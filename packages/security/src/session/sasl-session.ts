import type { Conversation } from './conversation.ts';

/**
 * ```
 *            handshake v1             done                 handshake v1
 *  open ────────────────────► talking ────► loggedIn ◄──────────────────► renewing
 *   │        handshake v0                      ▲    done, as the same user
 *   └───────────────────────► talkingRaw ──────┘
 *                                              any failure ──► over
 * ```
 */
type State = 'open' | 'talking' | 'talkingRaw' | 'loggedIn' | 'renewing' | 'over';

/**
 * Requests of a client, as far as they matter here. Tokens without a header are not requests: they are accepted in
 * `talkingRaw` only.
 */
export type SaslEvent = 'handshakeV0' | 'handshakeV1' | 'authenticate' | 'apiVersions' | 'otherRequest';

type SaslAction =
  /** Begin a conversation with the mechanism that the client has chosen. */
  | 'begin'
  /** Pass the token to the conversation. */
  | 'step'
  /** Serve the request. */
  | 'serve'
  /** Serve the request unless authentication is required. */
  | 'serveUnlessRequired'
  /** Serve the request until the session has expired. */
  | 'serveUnlessExpired'
  /** Return ILLEGAL_SASL_STATE. */
  | 'refuse'
  /** Return ILLEGAL_SASL_STATE and close the connection. */
  | 'refuseAndEnd'
  /** Close the connection without a response. */
  | 'end';

const table: Readonly<Record<State, Readonly<Record<SaslEvent, SaslAction>>>> = {
  open: {
    handshakeV0: 'begin',
    handshakeV1: 'begin',
    authenticate: 'refuseAndEnd',
    apiVersions: 'serve',
    otherRequest: 'serveUnlessRequired',
  },
  talking: {
    handshakeV0: 'refuseAndEnd',
    handshakeV1: 'refuseAndEnd',
    authenticate: 'step',
    apiVersions: 'end',
    otherRequest: 'end',
  },
  talkingRaw: {
    handshakeV0: 'end',
    handshakeV1: 'end',
    authenticate: 'end',
    apiVersions: 'end',
    otherRequest: 'end',
  },
  // Re-authentication always uses requests, even after a login with raw tokens, because raw tokens cannot carry an
  // error.
  loggedIn: {
    handshakeV0: 'refuse',
    handshakeV1: 'begin',
    authenticate: 'refuse',
    apiVersions: 'serveUnlessExpired',
    otherRequest: 'serveUnlessExpired',
  },
  renewing: {
    handshakeV0: 'refuseAndEnd',
    handshakeV1: 'refuseAndEnd',
    authenticate: 'step',
    apiVersions: 'end',
    otherRequest: 'end',
  },
  over: {
    handshakeV0: 'end',
    handshakeV1: 'end',
    authenticate: 'end',
    apiVersions: 'end',
    otherRequest: 'end',
  },
};

/** A completed login on a connection. */
export interface SaslLogin {
  readonly user: string;
  readonly mechanism: string;
  /** Whether it was with a delegation token. */
  readonly isToken?: boolean;
  /** In monotonic time; `undefined` for never. */
  readonly expiresMs: number | undefined;
}

/** SASL state of one connection, with the lifetime of the client session. */
export class SaslSession {
  #state: State = 'open';
  #talk: { readonly mechanism: string; readonly conversation: Conversation } | undefined;
  #login: SaslLogin | undefined;
  /** Set while a token is checked or a failure is delayed. The connection processes no other request meanwhile. */
  isBusy = false;

  actionFor(event: SaslEvent): SaslAction {
    return table[this.#state][event];
  }

  /** Whether the next frame is a token without a header, as after SaslHandshake v0. */
  get takesTokens(): boolean {
    return this.#state === 'talkingRaw';
  }

  /** Whether the pending response is the last one of the connection. */
  get isOver(): boolean {
    return this.#state === 'over';
  }

  get login(): SaslLogin | undefined {
    return this.#login;
  }

  get mechanism(): string {
    return this.#talk?.mechanism ?? '';
  }

  get conversation(): Conversation {
    return this.#talk!.conversation;
  }

  isExpired(nowMs: number): boolean {
    const expiresMs = this.#login?.expiresMs;
    return expiresMs !== undefined && expiresMs <= nowMs;
  }

  begin(mechanism: string, conversation: Conversation, tokens: 'inRequests' | 'raw'): void {
    this.#talk = { mechanism, conversation };
    if (this.#state === 'loggedIn') this.#state = 'renewing';
    else this.#state = tokens === 'raw' ? 'talkingRaw' : 'talking';
  }

  /** Returns why a re-authentication is invalid: user and mechanism of a connection must not change. */
  problemOfRenewal(user: string): string | undefined {
    const before = this.#login;
    if (before === undefined) return undefined;
    if (before.mechanism !== this.mechanism) return 'the SASL mechanism must not change on re-authentication';
    return before.user === user ? undefined : 'the user must not change on re-authentication';
  }

  succeed(login: SaslLogin): void {
    this.#login = login;
    this.#state = 'loggedIn';
    this.#talk = undefined;
  }

  end(): void {
    this.#state = 'over';
    this.#talk = undefined;
  }
}
