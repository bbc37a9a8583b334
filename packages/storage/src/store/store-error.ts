/**
 * Everything that can go wrong with a store, in few kinds, because a caller has few choices: try again, ask an operator, or
 * mend its own request. Drivers turn what their servers say into these; the words of the server stay in the message.
 */
export const storeErrorKinds = {
  /** The object does not exist. */
  notFound: { retriable: false, advice: 'the object was deleted or never written' },
  /** The store refused our identity. */
  denied: { retriable: false, advice: 'check the credentials and the permissions of the bucket' },
  /** The store asks for fewer requests. */
  throttled: { retriable: true, advice: 'slow down and try again' },
  /** The store, or the way to it, is broken for now. */
  unavailable: { retriable: true, advice: 'try again' },
  /** The request cannot succeed as it is, nor can it when it is repeated. */
  invalid: { retriable: false, advice: 'correct the request or the bucket URL' },
  /** No answer in time. What was asked may have happened. */
  timeout: { retriable: true, advice: 'try again' },
} as const satisfies Record<string, { readonly retriable: boolean; readonly advice: string }>;

export type StoreErrorKind = keyof typeof storeErrorKinds;

export class StoreError extends Error {
  override readonly name: string = 'StoreError';
  readonly kind: StoreErrorKind;

  /** `subject` is the key or URL that the message is about. */
  constructor(kind: StoreErrorKind, subject: string, problem: string, options?: ErrorOptions) {
    super(`${subject}: ${problem}; ${storeErrorKinds[kind].advice}`, options);
    this.kind = kind;
  }
}

export class ObjectNotFound extends StoreError {
  override readonly name = 'ObjectNotFound';

  constructor(key: string, options?: ErrorOptions) {
    super('notFound', key, 'no such object', options);
  }
}

export function isRetriable(kind: StoreErrorKind): boolean {
  return storeErrorKinds[kind].retriable;
}

/** Whether trying the same again may help. What is no `StoreError` is a bug or an abort, and does not get better. */
export function isRetriableError(error: unknown): error is StoreError {
  return error instanceof StoreError && isRetriable(error.kind);
}
