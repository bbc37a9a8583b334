import { CallNotDone } from './port.ts';

/** This process does not lead the cluster at the moment and has not executed the call. */
export class NotLeader extends CallNotDone {
  /** The leader's URL, if known. */
  readonly leaderUrl: string | undefined;

  constructor(message: string, leaderUrl: string | undefined) {
    super(message);
    this.leaderUrl = leaderUrl;
  }
}
