/** A call of a method of the database, from its owner to its thread. */
export interface ThreadCall {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** The response to the call with the same id. */
export interface ThreadResponse {
  readonly id: number;
  readonly result?: unknown;
  /** What the owner makes an error of. */
  readonly problem?: unknown;
}

/** What the owner of the thread logs. */
export interface ThreadWarning {
  readonly fields: Readonly<Record<string, string | number>>;
}

/** The last message to a thread: it closes its database and ends. */
export const closeMessage = 'close';

/** How a method of a database is called. */
interface CallRule {
  /** The argument whose memory is moved to the thread, and unusable for the caller afterwards. */
  readonly moves?: number;
  readonly reads?: true;
  /** False for a change that need not survive a power failure by itself. */
  readonly waitsForDisk?: false;
}

export type CallRules<Operations> = Readonly<Record<keyof Operations & string, CallRule>>;

/** The methods of a database, as their thread implements them. */
export type AnyOperations<Operations> = { [Method in keyof Operations]: (...args: never[]) => unknown };
