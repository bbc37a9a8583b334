/**
 * An expected failure while a command runs, such as a broker that is down or a topic that does not exist. The message
 * is one line for the user, and the command ends with status 1. Any other error is a bug and is printed with its stack.
 */
export class Failure extends Error {
  override readonly name: string = 'Failure';
}

/** A failure that points at a position in the user's input, in extra lines below the message. */
export class PointingFailure extends Failure {
  override readonly name = 'PointingFailure';
}
