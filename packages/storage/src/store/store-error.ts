/**
 * The failures of a store, in few kinds, because a caller has few choices: retry, alert an operator, or correct its own
 * request. Drivers map the errors of their servers to these; the server's text stays in the message.
 */
export const storeErrorKinds = {
  /** The object does not exist. */
  notFound: { retriable: false, advice: 'the object was deleted or never written' },
  /** The bucket itself does not exist: deleted, not mounted, or mistyped. Says nothing about single objects. */
  bucketMissing: { retriable: false, advice: 'create or mount the bucket, or correct its URL' },
  /** The store rejected the credentials. */
  denied: { retriable: false, advice: 'check the credentials and the permissions of the bucket' },
  /** The store asks for fewer requests. */
  throttled: { retriable: true, advice: 'slow down and try again' },
  /** There is no room for an object. What is stored can still be read. */
  full: { retriable: true, advice: 'free space or raise the quota' },
  /** The store, or the connection to it, is temporarily broken. */
  unavailable: { retriable: true, advice: 'try again' },
  /** The request cannot succeed, and retrying it does not help. */
  invalid: { retriable: false, advice: 'correct the request or the bucket URL' },
  /** No answer in time. The operation may have happened. */
  timeout: { retriable: true, advice: 'try again' },
} as const satisfies Record<string, { readonly retriable: boolean; readonly advice: string }>;

export type StoreErrorKind = keyof typeof storeErrorKinds;

const problemCharsMax = 1_000;

export class StoreError extends Error {
  override readonly name: string = 'StoreError';
  readonly kind: StoreErrorKind;
  /** The message without subject and advice. */
  readonly problem: string;

  /** `subject` is the key or URL that the message is about. */
  constructor(kind: StoreErrorKind, subject: string, problem: string, options?: ErrorOptions) {
    const words = inOneLine(problem);
    super(`${subject}: ${words}; ${storeErrorKinds[kind].advice}`, options);
    this.kind = kind;
    this.problem = words;
  }
}

/** Texts of servers are in it, which may be of any length and have any characters, and are logged and shown. */
function inOneLine(text: string): string {
  const short = text.length > problemCharsMax ? `${text.slice(0, problemCharsMax)}…` : text;
  return short.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

export class ObjectNotFound extends StoreError {
  override readonly name = 'ObjectNotFound';

  constructor(key: string, options?: ErrorOptions) {
    super('notFound', key, 'object not found', options);
  }
}

export function isRetriable(kind: StoreErrorKind): boolean {
  return storeErrorKinds[kind].retriable;
}

/** Whether a retry may help. Any other error is a bug or an abort, and is not retried. */
export function isRetriableError(error: unknown): error is StoreError {
  return error instanceof StoreError && isRetriable(error.kind);
}
