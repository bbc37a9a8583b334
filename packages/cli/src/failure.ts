/**
 * What went wrong in the world while a command ran: a broker that is away, a topic that does not exist. The message is one
 * line for the user, and the command ends with status 1. Anything else that is thrown is a bug of ours and keeps its stack.
 */
export class Failure extends Error {
  override readonly name: string = 'Failure';
}

/** One that points at a place in what the user wrote, in lines of their own below the message. */
export class PointingFailure extends Failure {
  override readonly name = 'PointingFailure';
}
