import { CallNotDone } from './port.ts';

/** This process does not lead the cluster just now, and did nothing of what it was asked. */
export class NotLeader extends CallNotDone {
  /** Where the leader is, when that is known. */
  readonly leaderUrl: string | undefined;

  constructor(message: string, leaderUrl: string | undefined) {
    super(message);
    this.leaderUrl = leaderUrl;
  }
}
