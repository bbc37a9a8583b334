import type { Conversation } from './conversation.ts';

/**
 * ```
 *            handshake v1             done                 handshake v1
 *  open ────────────────────► talking ────► loggedIn ◄──────────────────► renewing
 *   │        handshake v0                      ▲    done, as the same one
 *   └───────────────────────► talkingRaw ──────┘
 *                                              whatever fails ──► over
 * ```
 */
type State = 'open' | 'talking' | 'talkingRaw' | 'loggedIn' | 'renewing' | 'over';

/** What a client sends, as far as it matters here. Tokens without a header are no requests: they are taken in `talkingRaw` only. */
export type SaslEvent = 'handshakeV0' | 'handshakeV1' | 'authenticate' | 'apiVersions' | 'otherRequest';

type SaslAction =
  /** Begins a conversation in the mechanism that the client has chosen. */
  | 'begin'
  /** The token is the conversation's. */
  | 'step'
  /** The request is served, as long as nothing but the state of the login is in question. */
  | 'serve'
  /** The request is served to whoever need not log in. */
  | 'serveUnlessRequired'
  /** The request is served until the session has expired. */
  | 'serveUnlessExpired'
  /** The answer is ILLEGAL_SASL_STATE. */
  | 'refuse'
  /** The same, and with it the connection ends. */
  | 'refuseAndEnd'
  /** The connection ends without an answer. */
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
  // Who has logged in with raw tokens may log in again with requests only, because they carry what went wrong.
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

/** Who has logged in on a connection, how, and until when. */
export interface SaslLogin {
  readonly user: string;
  readonly mechanism: string;
  /** In monotonic time; `undefined` for never. */
  readonly expiresMs: number | undefined;
}

/** How far SASL has come on one connection. It lives with the session of the client. */
export class SaslSession {
  #state: State = 'open';
  #talk: { readonly mechanism: string; readonly conversation: Conversation } | undefined;
  #login: SaslLogin | undefined;
  /** A token is being looked at, or its sender waits for bad news. Nothing else of the connection is begun meanwhile. */
  isBusy = false;

  actionFor(event: SaslEvent): SaslAction {
    return table[this.#state][event];
  }

  /** Whether the next frame is a token without a header, as after SaslHandshake v0. */
  get takesTokens(): boolean {
    return this.#state === 'talkingRaw';
  }

  /** Whether the answer that is under way is the last one of the connection. */
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

  /** Why somebody who logs in again may not: on one connection everybody stays who he is. */
  problemOfRenewal(user: string): string | undefined {
    const before = this.#login;
    if (before === undefined) return undefined;
    if (before.mechanism !== this.mechanism) return 'the mechanism may not change on a connection';
    return before.user === user ? undefined : 'the user may not change on a connection';
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
