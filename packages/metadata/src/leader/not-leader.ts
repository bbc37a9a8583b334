import { ClusterUnavailable } from '../cluster/port.ts';

/** This process does not lead the cluster just now. */
export class NotLeader extends ClusterUnavailable {
  /** Where the leader is, when that is known. */
  readonly leaderUrl: string | undefined;

  constructor(message: string, leaderUrl: string | undefined) {
    super(message);
    this.leaderUrl = leaderUrl;
  }
}
