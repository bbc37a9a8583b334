/**
 * An expected failure, such as a broker that is down or a topic that does not exist. The message is one line for the
 * user, and a command ends with status 1. Any other error is a bug and is printed with its stack.
 */
export class Failure extends Error {
  override readonly name: string = 'Failure';
}
