import type { CallOf, OperationName, OutputOf } from '@weir/api';
import type { Clock } from '@weir/core';

/** Calls an operation for the caller, with authorization, limits and deadlines. Throws an `ApiError`. */
export type CallOperation = <Name extends OperationName>(
  name: Name,
  input: CallOf<Name>,
  stop: AbortSignal,
) => Promise<OutputOf<Name>>;

/** A question to the user of a client. */
export interface Question {
  /** What would change, for a person. */
  readonly message: string;
  /** Identifies the change: an answer counts for this one alone. */
  readonly digest: string;
}

/** Asks the user of a client. */
export type Confirm = (question: Question) => Promise<boolean>;

/** What a tool gets: the operations that its caller may call. */
export interface ToolContext {
  call<Name extends OperationName>(name: Name, input: CallOf<Name>): Promise<OutputOf<Name>>;
  /** Whether the client can ask its user. */
  readonly canConfirm: boolean;
  /**
   * Asks the user of the client, and returns whether they confirmed. Before that a tool can change nothing. It throws
   * if the question has yet to be asked, and then the tool runs again with the response.
   */
  confirm(question: Question): Promise<boolean>;
  /** Returns the URL of a console page. */
  consoleUrl(path: string): string;
  readonly clock: Clock;
}
